/** The listeners of each signal. */
const listenersOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when `signal` aborts. All listeners of one signal share one listener on it: Node warns of a leak from
 * the eleventh on, and an app may give one signal to a hundred calls.
 *
 * @returns Ends the listening.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  const entry = (): void => listener(); // of its own, so that the same function can listen twice and stop once
  listeners.add(entry);
  return () => void listeners.delete(entry);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>();
  listenersOf.set(signal, listeners);
  const callAll = (): void => {
    for (const listener of [...listeners]) listener();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return listeners;
}
