import { unlessAborted } from '@x/internal/async';
import type { TurnTaker } from './gate.js';

export interface RequestTurnOptions {
  readonly queueTimeoutMs: number | undefined;
  /** For whom the request is made, as far as turns are shared. */
  readonly client: unknown;
  /** The server is being stopped, and the request has not had its turn. */
  readonly onRefused: () => void;
  /** The request's place in the queue goes to a client that has fewer. */
  readonly onDisplaced: () => void;
  /** The request's turn did not come within so many milliseconds. */
  readonly onWaited: (waitedMs: number) => void;
}

/** Lets a request wait for its turn. */
export class RequestTurn implements TurnTaker {
  readonly #granted: Promise<void>;
  readonly #onRefused: () => void;
  readonly #onWaited: (waitedMs: number) => void;
  readonly #onDisplaced: () => void;
  readonly queueTimeoutMs: number | undefined;
  readonly client: unknown;
  #hasBegun = false;
  #grant: () => void = () => undefined;

  constructor({ queueTimeoutMs, client, onRefused, onWaited, onDisplaced }: RequestTurnOptions) {
    this.queueTimeoutMs = queueTimeoutMs;
    this.client = client;
    this.#onRefused = onRefused;
    this.#onWaited = onWaited;
    this.#onDisplaced = onDisplaced;
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
    await unlessAborted(this.#granted, signal);
    signal.throwIfAborted(); // it may have been refused in the moment in which it had its turn
    this.#hasBegun = true;
  }

  start(): void {
    this.#grant();
  }

  endInQueue(waitedMs: number): void {
    this.#onWaited(waitedMs);
  }

  displace(): void {
    this.#onDisplaced();
  }

  refuse(): void {
    if (!this.#hasBegun) this.#onRefused();
  }
}
