import { constants } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { printable } from '../output/printable.js';

/** Size at which the log is put aside, in bytes. There are two of them at most. */
const defaultMaxBytes = 2 * 1_024 * 1_024;
/** What may wait for the disk, in lines. Beyond it lines are left out: a slow disk slows nothing. */
const maxWaiting = 2_000;

export interface DaemonLog {
  /** Never blocks and never throws. */
  write(line: string): void;
  /** Resolves when everything written so far is on disk, or has been given up. */
  flush(): Promise<void>;
}

/**
 * The daemon's own log: a line each with its time, in one file and the one before it. The file is opened for each
 * batch, so that it may be taken away at any time, and a disk that was full is tried again with the next line.
 */
export function openDaemonLog(path: string, { maxBytes = defaultMaxBytes }: { maxBytes?: number } = {}): DaemonLog {
  let waiting: string[] = [];
  let lost = 0;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      await undefined; // lines that come together are written together
      const lines = waiting;
      waiting = [];
      const note = lost > 0 ? `${stamped(`[${lost} lines could not be written]`)}` : '';
      try {
        await append(path, note + lines.join(''), maxBytes);
        lost = 0;
      } catch {
        lost += lines.length; // told with the next line that gets through; the service goes on
      }
    }
    writing = undefined;
  };
  return {
    write: (line) => {
      if (waiting.length >= maxWaiting) lost += 1;
      else waiting.push(stamped(line));
      writing ??= writeAll();
    },
    flush: async () => writing,
  };
}

/** A log is read in terminals. */
function stamped(line: string): string {
  return `${new Date().toISOString()} ${printable(line).replaceAll('\n', '\n  ')}\n`;
}

async function append(path: string, text: string, maxBytes: number): Promise<void> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A link could lead to another file; a named pipe would wait for a reader.
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
