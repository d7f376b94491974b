import { onAbort } from './abort-listener.js';

/** What `promise` brings. Rejects with the signal's reason as soon as that aborts; what comes later is nobody's. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined); // nobody may wait for it any more
  if (!signal) return promise;
  signal.throwIfAborted();
  let ignore: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    ignore = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    ignore?.();
  }
}
