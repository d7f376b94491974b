import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { isExhaustion } from './spawn-error.js';

/** Free file descriptors for a spawn. Node needs 8, and leaks some when it runs out halfway. */
export const spawnDescriptors = 10;

/**
 * For operations that fail badly without free file descriptors.
 *
 * @throws {NodeJS.ErrnoException} `EMFILE` or `ENFILE`: fewer than `count` are free.
 */
export function requireDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } catch (error) {
    if (isExhaustion(error)) throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** File descriptors that loading needs. Node reads the SDK's many files in parallel. */
export const loadDescriptors = { ours: 16, sdk: 104 };

let loading: Promise<void> | undefined;

/**
 * Loads a module on first use, only while enough file descriptors are free: Node caches a failed read forever. After a
 * failure, the next start of a server tries again.
 */
export function moduleLoader<Module>(count: number, load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined;
  const isOver = (): void => {
    loading = undefined;
  };
  return async () => {
    while (!loaded && loading) await loading;
    if (!loaded) {
      requireDescriptors(count);
      loaded = load();
      loading = loaded.then(isOver, isOver);
    }
    return loaded;
  };
}
