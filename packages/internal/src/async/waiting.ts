import { onAbort } from './on-abort.js';

/** Settles like `promise`, or rejects with the signal's reason when it aborts first. */
export async function unlessAborted<Value>(
  promise: Value | PromiseLike<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const ignore = onAbort(signal, () => reject(signal.reason));
    const settled = (settle: () => void): void => {
      ignore();
      settle();
    };
    Promise.resolve(promise).then(
      (value) => settled(() => resolve(value)),
      (error) => settled(() => reject(error)),
    );
    if (signal.aborted) reject(signal.reason);
  });
}

/** Settles like `promise`, or resolves with `undefined` after `ms` milliseconds. */
export async function within<Value>(promise: PromiseLike<Value>, ms: number): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects with the signal's reason as soon as it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await unlessAborted(over, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets timers and sockets run, which promises alone would starve. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
