import { writeSync } from 'node:fs';

/**
 * Writes everything before it returns, however long the other side takes to read: a pipe that nobody reads stops the
 * whole process here. A descriptor that is set to non-blocking reports EAGAIN instead, which is waited out. The servers of
 * `packages/test-servers` have one like it, since they cannot be imported from here and stand below this package.
 */
export function writeBlocking(fd: 1 | 2, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
