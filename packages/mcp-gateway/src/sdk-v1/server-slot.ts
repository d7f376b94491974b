import type { V1Server } from './v1-server.js';

/**
 * Adds a listener to a slot that holds one.
 *
 * @returns Removes the listener.
 */
export function chain(server: V1Server, slot: 'onclose' | 'oninitialized', listener: () => void): () => void {
  const next = server[slot];
  let isIn = true;
  const both = () => {
    if (isIn) listener();
    next?.();
  };
  server[slot] = both;
  return () => {
    isIn = false;
    if (server[slot] === both) server[slot] = next;
  };
}
