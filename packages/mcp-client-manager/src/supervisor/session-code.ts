import { requireDescriptors } from '../process/require-descriptors.js';

/** File descriptors that loading needs at a time: the SDK's dependencies are many files, which Node reads side by side. */
const descriptors = { first: 104, further: 16 };

let first: Promise<unknown> | undefined;

/**
 * Node remembers for good that a module could not be read. So nothing is loaded unless it can be read: a host that is out
 * of file descriptors tries again with the next start.
 */
function loader<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined;
  return async () => {
    await first; // two at a time would need more
    if (!loaded) {
      requireDescriptors(first ? descriptors.further : descriptors.first);
      loaded = load();
      first ??= loaded;
    }
    return loaded;
  };
}

/**
 * The code that opens sessions, and with it the protocol SDK: by far the largest part of what a host would load with this
 * package. It is loaded when the first server starts, while that server's process boots; a host that only looks at its
 * config, or at what was remembered, never loads it.
 */
export const sessionCode = {
  stdio: loader(() => import('../session/open-stdio-session.js')),
  http: loader(() => import('../session/open-http-session.js')),
  inProcess: loader(() => import('../session/open-in-process-session.js')),
};
