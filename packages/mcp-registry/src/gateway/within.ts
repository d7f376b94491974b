/** What `work`, which never rejects, resolves with; `undefined` when the time is over first. */
export async function resultWithin<Result>(work: Promise<Result>, limitMs: number): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), limitMs)));
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * As `work`, but rejects with a signal's reason as soon as one of them aborts. Nothing is left on them afterwards, as
 * `AbortSignal.any` would leave on one that lives long.
 */
export async function unlessAborted<Result>(work: Promise<Result>, ...signals: AbortSignal[]): Promise<Result> {
  for (const signal of signals) signal.throwIfAborted();
  let stop = (_: Event): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = ({ target }) => reject((target as AbortSignal).reason);
  });
  for (const signal of signals) signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop);
  }
}
