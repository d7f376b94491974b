import { endedBy } from '../session/ended-by.js';
import type { TurnTaker } from './gate.js';

/** Lets a request wait for its turn. */
export class RequestTurn implements TurnTaker {
  readonly #granted: Promise<void>;
  readonly #onRefused: () => void;
  #hasBegun = false;
  #grant: () => void = () => undefined;

  constructor({ onRefused }: { onRefused: () => void }) {
    this.#onRefused = onRefused;
    this.#granted = new Promise((resolve) => {
      this.#grant = resolve;
    });
  }

  /** Whether the request can be sent, or was. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Resolves when it is its turn. Rejects with the signal's reason when that aborts first. */
  async wait(signal: AbortSignal): Promise<void> {
    await endedBy(signal, this.#granted);
    signal.throwIfAborted(); // it may have been refused in the moment in which it had its turn
    this.#hasBegun = true;
  }

  start(): void {
    this.#grant();
  }

  refuse(): void {
    if (!this.#hasBegun) this.#onRefused();
  }
}
