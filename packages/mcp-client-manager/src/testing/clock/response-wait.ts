import { setTimeout as realDelay } from 'node:timers/promises';
import type { ExternalWork } from './external-work.js';

/** Real time that the limits of one `advance` that are not kept may take together: less than a test gets of its runner. */
const maxWaitMs = 4_000;

/** Real time that a limit may take, in milliseconds: all of it when it is short, as between two looks at something. */
export function realTimeFor(limitMs: number): number {
  return Math.min(limitMs, Math.max(1_000, Math.min(limitMs / 5, 3_000)));
}

/** The real time that one `advance` has for what happens outside of this process. */
export class ResponseWait {
  readonly #world: ExternalWork;
  readonly #realNow: () => number;
  #leftMs = maxWaitMs;

  constructor(world: ExternalWork, realNow: () => number) {
    this.#world = world;
    this.#realNow = realNow;
  }

  /**
   * Waits for as long as somebody owes an answer and `isNeeded`, at most until then by the real clock. No event tells
   * which answer is the one that is waited for, so this looks every millisecond.
   */
  async waitUntil(time: number, isNeeded: () => boolean): Promise<void> {
    const start = this.#realNow();
    const end = Math.min(time, start + this.#leftMs);
    while (isNeeded() && this.#world.owesAnswer()) {
      if (this.#realNow() >= end) {
        this.#leftMs -= this.#realNow() - start; // an answer in time costs nothing
        return;
      }
      await realDelay(1);
    }
  }
}
