import { onAbort } from '../abort-listener.js';

/** Waits. Rejects with the signal's reason when that aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(() => {
      ignore();
      resolve();
    }, ms);
    const ignore = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
