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

/**
 * Starts each work when the previous one has ended, even by a failure.
 *
 * @returns Runs a work, and settles like it.
 */
export function sequence(): <Result>(work: () => PromiseLike<Result> | Result) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined); // the caller gets the failure
    return result;
  };
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

const listenersOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when `signal` aborts. A signal has one event listener for all of them, because Node warns of a leak
 * from the eleventh on.
 *
 * @returns Removes the listener.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  const entry = (): void => listener(); // a new function: one listener may be added twice
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

export interface HeldSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts with the first of `signals`. Unlike `AbortSignal.any`, leaves no listener on long-lived signals once disposed.
 */
export function eitherSignal(...signals: readonly AbortSignal[]): HeldSignal {
  const either = new AbortController();
  const ends = signals.map((signal) => {
    if (signal.aborted) either.abort(signal.reason);
    return onAbort(signal, () => either.abort(signal.reason));
  });
  return {
    signal: either.signal,
    [Symbol.dispose]: () => {
      for (const end of ends) end();
    },
  };
}

/** `Promise.withResolvers`, which Node 20 lacks. */
export function withResolvers<Value = void>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}
