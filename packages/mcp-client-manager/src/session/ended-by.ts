import { onAbort } from '../abort-listener.js';

/** What `promise` brings. Rejects with the signal's reason as soon as that aborts; what comes later is nobody's. */
export async function endedBy<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined); // nobody may wait for it any more
  signal.throwIfAborted();
  let ignore: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    ignore = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    ignore?.();
  }
}
