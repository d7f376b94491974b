import { nextTurn } from '@x/internal/async';
import { untilAdmitted } from './until-admitted.js';

/** Leaves room for other requests. */
const AT_A_TIME = 8;

export interface WantedStreamOptions {
  /** Receives failures that are not retried. */
  readonly onFailed: (uri: string, cause: unknown) => void;
}

/** Makes the subscriptions of one stream. */
export class WantedStream {
  readonly #subscribe: (uri: string, signal: AbortSignal) => Promise<void>;
  readonly #options: WantedStreamOptions;
  readonly #over = new AbortController();

  constructor(subscribe: (uri: string, signal: AbortSignal) => Promise<void>, options: WantedStreamOptions) {
    this.#subscribe = subscribe;
    this.#options = options;
  }

  hold(uris: readonly string[]): void {
    const waiting = uris.values();
    for (let worker = 0; worker < AT_A_TIME; worker++) void this.#work(waiting);
  }

  end(): void {
    this.#over.abort(new Error('The stream is over'));
  }

  /** @param waiting - Shared by all workers. */
  async #work(waiting: Iterable<string>): Promise<void> {
    for (const uri of waiting) {
      if (this.#over.signal.aborted) return;
      await this.#hold(uri);
      await nextTurn();
    }
  }

  async #hold(uri: string): Promise<void> {
    const { signal } = this.#over;
    try {
      await untilAdmitted(() => this.#subscribe(uri, signal), signal);
    } catch (cause) {
      if (!signal.aborted) this.#options.onFailed(uri, cause);
    }
  }
}
