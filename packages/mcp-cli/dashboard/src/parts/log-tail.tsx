import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LogLineView, LogMessage } from '../../../src/dashboard/page-messages.js';
import { listen } from '../listen.js';
import { memo } from '../memo.js';
import { ForeignText } from './foreign-text.js';

const maxLines = 300;

interface LogLine extends LogLineView {
  readonly id: number;
}

/** Live stderr lines of a server. Keeps the position after the user has scrolled back. */
export function LogTail({ server }: { readonly server: string }) {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [words, setWords] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    setLines([]);
    isAtEnd.current = true;
    let count = 0;
    return listen(`api/logs?${new URLSearchParams({ server })}`, {
      onOpen: () => setLines([]),
      onMessage: (message) => {
        const news = (message as LogMessage).lines.map((line) => {
          count += 1;
          return { id: count, ...line };
        });
        setLines((before) => [...before, ...news].slice(-maxLines));
      },
    });
  }, [server]);
  useLayoutEffect(() => {
    const { current } = box;
    if (current && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [lines, words]);
  const wanted = words.trim().toLowerCase();
  const shown = wanted === '' ? lines : lines.filter(({ line }) => line.toLowerCase().includes(wanted));
  return (
    <>
      <div class="log-head">
        <input
          type="search"
          aria-label="Filter the lines"
          placeholder="Filter the lines"
          value={words}
          maxLength={256}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
        <span role="status" class="note">
          {wanted !== '' && `${shown.length} of the last ${lines.length} lines`}
        </span>
      </div>
      <div
        class="log"
        ref={box}
        role="log"
        aria-label={`stderr of ${server}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8;
        }}
      >
        {lines.length === 0 && <p class="note">Nothing was written.</p>}
        {shown.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </div>
    </>
  );
}

/** Lines never change. */
const Line = memo(({ line }: { readonly line: LogLine }) => (
  <div>
    {line.missed !== undefined && <em>{line.missed} lines left out </em>}
    <ForeignText text={line.line} />
  </div>
));
