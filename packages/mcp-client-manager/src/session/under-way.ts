import { onAbort } from '../abort-listener.js';

/** Requests that were begun and are not settled, and can be given up all at once. */
export class UnderWay {
  readonly #giveUps = new Set<(reason: unknown) => void>();

  /** Passes on a signal that aborts when `signal` does, or with the reason that all are given up with. */
  async during<Result>(signal: AbortSignal, send: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const end = new AbortController();
    const giveUp = (reason: unknown): void => end.abort(reason);
    const ignoreSignal = onAbort(signal, () => giveUp(signal.reason));
    if (signal.aborted) giveUp(signal.reason);
    this.#giveUps.add(giveUp);
    try {
      return await send(end.signal);
    } finally {
      this.#giveUps.delete(giveUp);
      ignoreSignal();
    }
  }

  giveUpAll(reason: unknown): void {
    for (const giveUp of [...this.#giveUps]) giveUp(reason);
  }
}
