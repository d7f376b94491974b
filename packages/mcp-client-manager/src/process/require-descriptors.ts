import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { isExhaustion } from './spawn-error.js';

/** For one spawn. Node needs 8, and leaks some when it runs out halfway. */
export const spawnDescriptors = 10;

/**
 * Opens `count` file descriptors and closes them again, ahead of an operation that fails badly without them.
 *
 * @throws {NodeJS.ErrnoException} `EMFILE` or `ENFILE`: fewer are free.
 */
export function requireDescriptors(count: number): void {
  const held: number[] = [];
  try {
    while (held.length < count) held.push(openSync(devNull, 'r'));
  } catch (error) {
    if (isExhaustion(error)) throw error;
  } finally {
    for (const descriptor of held) closeSync(descriptor);
  }
}
