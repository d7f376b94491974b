import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { isExhaustion } from './spawn-error.js';

/** Node needs 8 for a spawn, and leaks some when it runs out halfway. */
export const spawnDescriptors = 10;

/**
 * For operations that fail badly without free file descriptors.
 *
 * @throws {NodeJS.ErrnoException} `EMFILE` or `ENFILE`: fewer than `count` are free.
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
