import { type Stack, serverNamed } from '../compose.js';
import type { ServerHandlers } from './control.js';
import type { ControlBase } from './control-base.js';
import { pastLines } from './past-lines.js';
import type { LogLine } from './reports.js';

type LogOptions = Parameters<ServerHandlers['logs']>[0];

/** Lines queued for a slow reader, at most. */
const maxWaiting = 1_000;
/** Characters kept per server, at most. */
const maxKept = 65_536;

export interface ServerLogs extends Disposable {
  read(options: LogOptions): AsyncGenerator<LogLine, void, undefined>;
}

/** Stores the stderr lines of servers across restarts; the manager drops those of an ended process. */
export function createServerLogs(
  stack: Pick<Stack, 'manager' | 'config'>,
  base: ControlBase,
  directory: string | undefined,
): ServerLogs {
  const kept = new Map<string, KeptLines>();
  const listening = stack.manager.events.on('server-stderr', ({ server, line }) => {
    const lines = kept.get(server) ?? new KeptLines();
    kept.set(server, lines);
    lines.add(line);
  });
  const directoryOf = (server: string): string | undefined =>
    stack.config.servers.find(({ name }) => name === server)?.logDirectory ?? directory;
  const read = (options: LogOptions) =>
    readLogs(stack, base, options, {
      kept: () => kept.get(options.server)?.lines ?? [],
      directory: directoryOf(options.server),
    });
  return { read, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

interface EarlierLines {
  kept(): readonly string[];
  readonly directory: string | undefined;
}

async function* readLogs(
  stack: Pick<Stack, 'manager'>,
  { run, redact }: ControlBase,
  { server: name, follow = false, lines, signal }: LogOptions,
  earlier: EarlierLines,
): AsyncGenerator<LogLine, void, undefined> {
  await run(signal, async () => serverNamed(stack, name));
  const live = new WaitingLines();
  // Starts in the same turn as the kept lines are read, so that no line is lost or duplicated.
  using _listening = stack.manager.events.on('server-stderr', (event) => {
    if (event.server === name) live.add(redact(event.line));
  });
  const stop = () => live.wake();
  signal?.addEventListener('abort', stop);
  try {
    const kept = earlier.kept().map((line): LogLine => ({ line: redact(line) }));
    const from = new Date().toISOString();
    const known =
      kept.length > 0 ? kept : await run(signal, () => pastLines(earlier.directory, name, { before: from }));
    yield* lines === undefined ? known : known.slice(Math.max(0, known.length - lines));
    while (follow) {
      signal?.throwIfAborted();
      const next = live.shift();
      if (next) yield next;
      else await live.added();
    }
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** The latest lines, up to `maxKept` characters. */
class KeptLines {
  readonly lines: string[] = [];
  #length = 0;

  add(line: string): void {
    this.lines.push(line);
    this.#length += line.length + 1;
    while (this.#length > maxKept && this.lines.length > 1) this.#length -= (this.lines.shift()?.length ?? 0) + 1;
  }
}

/** The latest unread lines; the oldest are dropped first. */
class WaitingLines {
  readonly #lines: string[] = [];
  #missed = 0;
  #wake: (() => void) | undefined;

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > maxWaiting) {
      this.#lines.shift();
      this.#missed += 1;
    }
    this.wake();
  }

  shift(): LogLine | undefined {
    const line = this.#lines.shift();
    if (line === undefined) return undefined;
    const missed = this.#missed;
    this.#missed = 0;
    return missed > 0 ? { line, missed } : { line };
  }

  wake(): void {
    this.#wake?.();
  }

  added(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
