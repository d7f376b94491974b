import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LogLevel, LogLineView, LogMessage } from '../../../src/dashboard/page-messages.js';
import { hasWords } from '../format.js';
import { listen } from '../listen.js';
import { memo } from '../memo.js';
import { type Route, useQueryValue } from '../use-route.js';
import { ForeignText } from './foreign-text.js';
import { SearchField } from './search-field.js';
import type { Tone } from './state-badge.js';

const maxLines = 300;

interface LogLine extends LogLineView {
  readonly id: number;
}

interface LogTailProps {
  readonly server: string;
  /** Its query has the filter: the words as `find`, and the `level`. */
  readonly route: Route;
}

/** Live stderr lines and log messages of a server. Keeps the position after the user has scrolled back. */
export function LogTail({ server, route }: LogTailProps) {
  const lines = useLines(server);
  const [words, setWords] = useQueryValue(route, 'find');
  const [level, setLevel] = useQueryValue(route, 'level');
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const shown = useMemo(() => lines.filter((line) => isWanted(line, words, level)), [lines, words, level]);
  useEffect(() => {
    isAtEnd.current = true;
  }, [server]);
  useLayoutEffect(() => {
    const { current } = box;
    if (current && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [shown]);
  return (
    <>
      <div class="log-head">
        <SearchField label="Filter the lines" value={words} onValue={setWords} />
        <select
          aria-label="Lines that are shown"
          value={level}
          onChange={({ currentTarget }) => setLevel(currentTarget.value)}
        >
          <option value="">stderr and log messages</option>
          <option value="stderr">only stderr</option>
          {Object.keys(levels).map((name, index, { length }) => (
            <option key={name} value={name}>
              {index === 0 ? 'only log messages' : `only messages: ${name}${index === length - 1 ? '' : ' or worse'}`}
            </option>
          ))}
        </select>
        <span role="status" class="note">
          {(words.trim() !== '' || level !== '') && `${shown.length} of the last ${lines.length} lines`}
        </span>
      </div>
      <div
        class="log"
        ref={box}
        role="log"
        aria-label={`Log of ${server}`}
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

/** The last lines of the stream, which begins again after a lost connection. */
function useLines(server: string): readonly LogLine[] {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  useEffect(() => {
    setLines([]);
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
  return lines;
}

/** The least severe first. */
const levels: Readonly<Record<LogLevel, Tone>> = {
  debug: 'quiet',
  info: 'quiet',
  notice: 'quiet',
  warning: 'warn',
  error: 'bad',
  critical: 'bad',
  alert: 'bad',
  emergency: 'bad',
};
const severities = Object.keys(levels);

/** `level`: empty for everything, `stderr`, or the least severe level of log messages. */
function isWanted({ line, level, logger }: LogLine, words: string, wanted: string): boolean {
  if (wanted === 'stderr' && level !== undefined) return false;
  const least = severities.indexOf(wanted);
  if (least >= 0 && (level === undefined || severities.indexOf(level) < least)) return false;
  return hasWords([line, level, logger], words);
}

/** Lines never change. */
const Line = memo(({ line: { line, level, logger, missed } }: { readonly line: LogLine }) => (
  <div>
    {missed !== undefined && <em>{missed} lines left out </em>}
    {level !== undefined && <span class={`badge badge-${levels[level]}`}>{level}</span>}
    {logger !== undefined && (
      <>
        {' '}
        <strong>
          <ForeignText text={logger} maxLength={100} />
        </strong>
      </>
    )}
    {level !== undefined && ' '}
    <ForeignText text={line} />
  </div>
));
