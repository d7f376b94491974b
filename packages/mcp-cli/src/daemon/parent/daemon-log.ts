import { constants } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { printable } from '../../output/print.js';

/** Size at which the log is rotated, in bytes. */
const defaultMaxBytes = 2 * 1_024 * 1_024;
/** Lines queued for the disk, at most; further lines are dropped. */
const maxQueued = 2_000;

export interface DaemonLog {
  /** Never blocks or throws. */
  write(line: string): void;
  /** Resolves when all lines so far are on disk or dropped. */
  flush(): Promise<void>;
}

/**
 * The daemon's own log with a time per line, in a file and its predecessor. Opens the file for each batch, so that it
 * may be removed at any time and a full disk is retried.
 */
export function openDaemonLog(path: string, { maxBytes = defaultMaxBytes }: { maxBytes?: number } = {}): DaemonLog {
  let waiting: string[] = [];
  let lost = 0;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      await undefined; // batches lines of the same turn
      const lines = waiting;
      waiting = [];
      const notice = lost > 0 ? `${stamped(`[${lost} lines could not be written]`)}` : '';
      try {
        await append(path, notice + lines.join(''), maxBytes);
        lost = 0;
      } catch {
        lost += lines.length; // reported with the next line that succeeds
      }
    }
    writing = undefined;
  };
  return {
    write: (line) => {
      if (waiting.length >= maxQueued) lost += 1;
      else waiting.push(stamped(line));
      writing ??= writeAll();
    },
    flush: async () => writing,
  };
}

/** Removes control characters, because terminals display logs. */
function stamped(line: string): string {
  return `${new Date().toISOString()} ${printable(line).replaceAll('\n', '\n  ')}\n`;
}

async function append(path: string, text: string, maxBytes: number): Promise<void> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // O_NOFOLLOW refuses a link; O_NONBLOCK does not wait for the reader of a named pipe.
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
  let size: number;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('it is no regular file');
    await file.appendFile(text);
    size = stat.size + Buffer.byteLength(text);
  } finally {
    await file.close();
  }
  if (size >= maxBytes) await rename(path, `${path}.1`);
}
