import { useEffect, useRef, useState } from 'preact/hooks';
import { listen } from '../listen.js';
import { ForeignText } from './foreign-text.js';

const maxLines = 300;

interface LogLine {
  readonly id: number;
  readonly line: string;
  readonly missed?: number | undefined;
}

/** What a server writes to stderr, as it is written. */
export function LogTail({ server }: { readonly server: string }) {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    setLines([]);
    let count = 0;
    return listen(`api/logs?${new URLSearchParams({ server })}`, {
      onOpen: () => setLines([]),
      onMessage: (message) => {
        count += 1;
        const line: LogLine = { id: count, ...(message as Omit<LogLine, 'id'>) };
        setLines((before) => [...before, line].slice(-maxLines));
      },
    });
  }, [server]);
  useEffect(() => {
    const { current } = box;
    if (current) current.scrollTop = current.scrollHeight;
  }, [lines]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <div class="log" ref={box} role="log" aria-label={`stderr of ${server}`} tabIndex={0}>
      {lines.length === 0 && <p class="note">Nothing was written.</p>}
      {lines.map(({ id, line, missed }) => (
        <div key={id}>
          {missed !== undefined && <em>{missed} lines left out </em>}
          <ForeignText text={line} />
        </div>
      ))}
    </div>
  );
}
