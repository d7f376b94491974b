import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { isExhaustion } from './spawn-error.js';

/** For one spawn. Node takes 8, and does not close those that it has when it runs out of them halfway. */
export const spawnDescriptors = 10;

/**
 * Opens `count` file descriptors and closes them again, before something that leaves damage behind when it runs out of them.
 *
 * @throws {NodeJS.ErrnoException} `EMFILE` or `ENFILE`: fewer are free.
 */
export function requireDescriptors(count: number): void {
  const held: number[] = [];
  try {
    while (held.length < count) held.push(openSync(devNull, 'r'));
  } catch (error) {
    if (isExhaustion(error)) throw error; // anything else says nothing of how many are free
  } finally {
    for (const descriptor of held) closeSync(descriptor);
  }
}
