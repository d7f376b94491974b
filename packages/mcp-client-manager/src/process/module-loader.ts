import { requireDescriptors } from './require-descriptors.js';

/** File descriptors that loading needs at a time. The SDK is many files, which Node reads side by side. */
export const loadDescriptors = { ours: 16, sdk: 104 };

/** Settles when the module that is being loaded has been. */
let loading: Promise<void> | undefined;

/**
 * Node remembers for good that a module could not be read. So nothing is loaded unless it can be read: a host that is out
 * of file descriptors tries again with the next start of a server. One module is loaded at a time, since two would need more.
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
