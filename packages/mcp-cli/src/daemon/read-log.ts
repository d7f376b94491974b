import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 250;
const defaultTailBytes = 32 * 1_024;

interface ReadLogOptions {
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the end, at most. Default 32 KiB. */
  readonly tailBytes?: number;
}

/** Yields the end of a log, then with `follow` everything appended. Yields nothing for a missing log. */
export async function* readLog(
  path: string,
  { follow = false, signal, tailBytes = defaultTailBytes }: ReadLogOptions,
): AsyncGenerator<string, void, undefined> {
  let file: { readonly number: number; readonly offset: number } | undefined;
  for (;;) {
    const next = await readFrom(path, file, tailBytes);
    if (next.text !== '') yield next.text;
    file = next.file;
    if (!follow) return;
    await pause(pollMs, undefined, { signal });
  }
}

async function readFrom(
  path: string,
  last: { readonly number: number; readonly offset: number } | undefined,
  tailBytes: number,
): Promise<{ readonly text: string; readonly file: typeof last }> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return { text: '', file: last };
  try {
    const { size, ino: number } = await file.stat();
    const isSame = last?.number === number && last.offset <= size;
    // After a rotation the new file is read from its beginning.
    const start = isSame ? last.offset : last ? 0 : Math.max(0, size - tailBytes);
    const buffer = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    const whole = start > 0 && !isSame ? text.slice(text.indexOf('\n') + 1) : text;
    return { text: whole, file: { number, offset: start + bytesRead } };
  } finally {
    await file.close();
  }
}

/** A line of the daemon's log about a server, as `logServerEvents` writes it. */
export interface ServerEvent {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly server: string;
  /** What happened. Daemons of other versions may have other words. */
  readonly event: string;
  readonly detail?: string;
}

/** Yields the events of the log and its predecessor in one array, oldest first, then with `follow` new ones. */
export async function* readServerEvents(
  path: string,
  { follow = false, signal }: Omit<ReadLogOptions, 'tailBytes'>,
): AsyncGenerator<readonly ServerEvent[], void, undefined> {
  const whole = Number.POSITIVE_INFINITY;
  const older = await readFrom(`${path}.1`, undefined, whole);
  let next = await readFrom(path, undefined, whole);
  let text = older.text + next.text;
  for (;;) {
    const end = text.lastIndexOf('\n') + 1; // a line may be incomplete yet
    yield text
      .slice(0, end)
      .split('\n')
      .flatMap((line) => parseServerEvent(line) ?? []);
    if (!follow) return;
    await pause(pollMs, undefined, { signal });
    next = await readFrom(path, next.file, whole);
    text = text.slice(end) + next.text;
  }
}

const eventLine =
  /^(\d{4}-\d\d-\d\dT[\d:.]+Z) server ("(?:[^"\\\p{Cc}]|\\["\\]|\\u[0-9a-f]{4})*") ([a-z-]+)(?:: (.*))?$/u;

function parseServerEvent(line: string): ServerEvent | undefined {
  const [, at, server, event, detail] = eventLine.exec(line) ?? [];
  if (at === undefined || server === undefined || event === undefined) return undefined;
  return { at, server: JSON.parse(server), event, ...(detail !== undefined && { detail }) };
}
