import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { onAbort } from '@x/internal/async';
import { together } from '@x/internal/events';
import { codeOf } from '@x/internal/files';
import type { ServerLogEntry } from '@x/mcp-client-manager';
import { logFileName } from '@x/mcp-client-manager/diagnose';
import { type Stack, serverNamed } from '../compose.js';
import { truncate } from '../dashboard/page-views.js';
import type { ServerHandlers } from './control.js';
import type { ControlBase } from './control-base.js';
import type { LogLine } from './reports.js';

type LogOptions = Parameters<ServerHandlers['logs']>[0];

/** Lines queued for a slow reader, at most. */
const maxQueued = 1_000;
/** Characters kept per server, at most. */
const maxKeptCharacters = 65_536;

interface ServerLogs extends Disposable {
  read(options: LogOptions): AsyncGenerator<LogLine, void, undefined>;
}

/** Characters of a log message that a server sent by the protocol. Stderr lines have a limit already. */
const maxMessage = 8_000;
const maxLogger = 200;

/** Stores the stderr lines and log messages of servers across restarts; the manager drops those of an ended process. */
export function createServerLogs(
  stack: Pick<Stack, 'manager' | 'config'>,
  base: ControlBase,
  directory: string | undefined,
): ServerLogs {
  const kept = new Map<string, RecentLines>();
  const listening = onServerLine(stack, (server, line) => {
    const lines = kept.get(server) ?? new RecentLines();
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

type TimedLine = Pick<LogLine, 'line' | 'at' | 'level' | 'logger'>;

/** Receives each stderr line and each log message, in the order of their arrival. */
function onServerLine(
  { manager: { events } }: Pick<Stack, 'manager'>,
  listener: (server: string, line: TimedLine) => void,
): Disposable {
  return together(
    events.on('server-stderr', ({ server, line }) => listener(server, { line, at: now() })),
    events.on('server-log', ({ server, ...entry }) => listener(server, { ...messageLine(entry), at: now() })),
  );
}

/** The manager has redacted the entry, so a cut leaves no part of a secret. */
function messageLine({ level, logger, data }: ServerLogEntry): TimedLine {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return {
    line: truncate(text, maxMessage),
    level,
    ...(logger !== undefined && { logger: truncate(logger, maxLogger) }),
  };
}

function now(): string {
  return new Date().toISOString();
}

interface EarlierLines {
  kept(): readonly TimedLine[];
  readonly directory: string | undefined;
}

async function* readLogs(
  stack: Pick<Stack, 'manager'>,
  { run, redact }: ControlBase,
  { server: name, follow = false, lines, signal }: LogOptions,
  earlier: EarlierLines,
): AsyncGenerator<LogLine, void, undefined> {
  await run(signal, async () => serverNamed(stack, name));
  const live = new LineQueue();
  // Starts in the same turn as the kept lines are read, so that no line is lost or duplicated.
  using _listening = onServerLine(stack, (server, line) => {
    if (server === name) live.add({ ...line, line: redact(line.line) });
  });
  const ignore = signal && onAbort(signal, () => live.wake());
  try {
    const kept = earlier.kept().map((each): LogLine => ({ ...each, line: redact(each.line) }));
    const from = now();
    const known =
      kept.length > 0 ? kept : await run(signal, () => readPastLines(earlier.directory, name, { before: from }));
    yield* lines === undefined ? known : known.slice(Math.max(0, known.length - lines));
    while (follow) {
      signal?.throwIfAborted();
      const next = live.shift();
      if (next) yield next;
      else await live.added();
    }
  } finally {
    ignore?.();
  }
}

/** The latest lines, up to `maxKept` characters. */
class RecentLines {
  readonly lines: TimedLine[] = [];
  #length = 0;

  add(line: TimedLine): void {
    this.lines.push(line);
    this.#length += line.line.length + 1;
    while (this.#length > maxKeptCharacters && this.lines.length > 1)
      this.#length -= (this.lines.shift()?.line.length ?? 0) + 1;
  }
}

/** The latest unread lines; the oldest are dropped first. */
class LineQueue {
  readonly #lines: TimedLine[] = [];
  #missed = 0;
  #wake: (() => void) | undefined;

  add(line: TimedLine): void {
    this.#lines.push(line);
    if (this.#lines.length > maxQueued) {
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
    return missed > 0 ? { ...line, missed } : line;
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

/** Bytes read from the end of the log, at most. */
const tailBytes = 64 * 1_024;

/**
 * The last lines of a server's log, oldest first. Secrets were redacted before writing.
 *
 * @param options.before - ISO 8601. Later lines are omitted.
 */
async function readPastLines(
  directory: string | undefined,
  server: string,
  { before }: { readonly before: string },
): Promise<readonly LogLine[]> {
  if (directory === undefined) return [];
  const text = await readTail(join(directory, logFileName(server)));
  return text.split('\n').flatMap((entry) => {
    const [, at, line] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.*)$/.exec(entry) ?? [];
    return at === undefined || line === undefined || at >= before ? [] : [{ line, at, isEarlier: true }];
  });
}

/**
 * Empty for a missing log and for anything but a regular file: a project could place a link or an endless pipe there.
 * Drops an incomplete first line.
 */
async function readTail(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  });
  if (!file) return '';
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return '';
    const { size } = stat;
    const start = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    return start > 0 ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    await file.close();
  }
}
