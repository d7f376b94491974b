import { requireDescriptors } from './require-descriptors.js';

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
