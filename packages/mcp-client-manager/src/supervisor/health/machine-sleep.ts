import { Listeners } from '@x/internal/events';
import { type Clocks, SleepDetector } from './sleep-detector.js';

/** How often the clocks are looked at while a server runs, in milliseconds. */
const lookEveryMs = 10_000;
/** How long after the host woke nothing is held against a server, in milliseconds. */
const excuseMs = 60_000;

/** Notices when the host wakes from sleep: connections break then, and servers seem to have been silent for hours. */
export class MachineSleep {
  readonly #detector: SleepDetector;
  readonly #listeners = new Listeners<void>('wake');
  #excusedUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(clocks: Clocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }) {
    this.#detector = new SleepDetector(clocks);
  }

  /** Whether the host woke less than a minute ago. */
  get isJustAwake(): boolean {
    this.#look();
    return performance.now() < this.#excusedUntil;
  }

  /** Calls `listener` after each sleep, until what it returns is called. */
  onWake(listener: () => void): () => void {
    const listening = this.#listeners.add(listener);
    this.#timer ??= this.#startTimer();
    return () => {
      listening[Symbol.dispose]();
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#detector.expectNone();
    };
  }

  #startTimer(): NodeJS.Timeout {
    this.#detector.expectTimer(lookEveryMs);
    const look = (): void => {
      this.#look();
      this.#detector.expectTimer(lookEveryMs);
    };
    return setInterval(look, lookEveryMs).unref();
  }

  #look(): void {
    if (!this.#detector.hasSlept()) return;
    this.#excusedUntil = performance.now() + excuseMs;
    this.#listeners.tell();
  }
}
