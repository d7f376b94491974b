import type { CatalogCompleteness } from '../state/server-state.js';

const firstDelayMs = 1_000;
const maxDelayMs = 60_000;
/** So often in a row a list may be cut short before that counts as all there is to be had. */
const maxPartial = 5;

/** Asks a server again whose list did not come, or not as a whole: most of what keeps a list back passes. */
export class ListRetry {
  readonly #onDue: () => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /** To be called after each listing with what it brought. */
  note(completeness: CatalogCompleteness): void {
    clearTimeout(this.#timer);
    if (completeness === 'complete') {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    if (completeness === 'partial' && this.#failures > maxPartial) return;
    const fullMs = Math.min(firstDelayMs * 2 ** (this.#failures - 1), maxDelayMs);
    // Half of it is random, so that a fleet behind one broken service does not ask in step.
    this.#timer = setTimeout(this.#onDue, fullMs * (0.5 + Math.random() / 2));
    this.#timer.unref(); // an idle host may end
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#failures = 0;
  }
}
