/** Listeners by signal. */
const listenersOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when `signal` aborts. All listeners of a signal share one: Node warns of a leak from the eleventh
 * on, and an app may pass one signal to a hundred calls.
 *
 * @returns Removes the listener.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  const entry = (): void => listener(); // a new function, so that the same listener can be added twice and removed once
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
