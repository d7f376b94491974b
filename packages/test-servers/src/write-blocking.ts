import { writeSync } from 'node:fs';

/**
 * Writes everything before it returns: an unread pipe blocks the whole process. Retries on EAGAIN of a non-blocking
 * descriptor.
 */
export function writeBlocking(fd: 1 | 2, text: string | Uint8Array): void {
  let rest = typeof text === 'string' ? Buffer.from(text) : text;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
