import { milliseconds, optionTable } from '@x/internal/options';

/** Options of a drain. */
export interface DrainOptions {
  /** Longest wait for requests in progress, in milliseconds. Default 20 000. */
  readonly timeoutMs?: number | undefined;
}

const drainOptions = optionTable<DrainOptions>()({ timeoutMs: { ...milliseconds, default: 20_000 } });

/** Counts requests in progress. Once draining, it admits no more. */
export class RequestsInProgress {
  #count = 0;
  #draining: Promise<boolean> | undefined;
  #onNone: () => void = () => undefined;

  get isDraining(): boolean {
    return this.#draining !== undefined;
  }

  /** @returns A function that ends the request. Call it once. */
  begin(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) this.#onNone();
    };
  }

  /** Resolves to `true` when no request is in progress, and to `false` after the timeout. A second call joins the first. */
  drain(options?: DrainOptions): Promise<boolean> {
    const { timeoutMs } = drainOptions.read(options);
    this.#draining ??= this.#untilNone(timeoutMs);
    return this.#draining;
  }

  #untilNone(timeoutMs: number): Promise<boolean> {
    if (this.#count === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}

export const DRAINING = 'The server is shutting down; nothing was run. Retry later';
