import { Listeners } from '@x/internal/events';

const checkIntervalMs = 10_000;
/** Failures this soon after a sleep do not count. */
const graceMs = 60_000;

/** Reports sleeps of the machine: after one, connections are broken, and servers seem silent for hours. */
export class MachineSleep {
  readonly #detector: SleepDetector;
  readonly #listeners = new Listeners<void>('wake');
  #graceUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(clocks: Clocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }) {
    this.#detector = new SleepDetector(clocks);
  }

  get isInGrace(): boolean {
    this.#check();
    return performance.now() < this.#graceUntil;
  }

  /** @returns Removes the listener. */
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
    this.#detector.expectTimer(checkIntervalMs);
    const check = (): void => {
      this.#check();
      this.#detector.expectTimer(checkIntervalMs);
    };
    return setInterval(check, checkIntervalMs).unref();
  }

  #check(): void {
    if (!this.#detector.hasSlept()) return;
    this.#graceUntil = performance.now() + graceMs;
    this.#listeners.tell();
  }
}

interface Clocks {
  /** In milliseconds since 1970. Includes sleep. */
  readonly wallMs: () => number;
  /** Excludes sleep on Linux only. */
  readonly monotonicMs: () => number;
}

/** Normal drift of the clocks and lateness of a timer. */
const toleranceMs = 30_000;

/** Detects a sleep of the machine: on Linux by the drift between two clocks, and everywhere by a late timer. */
export class SleepDetector {
  readonly #clocks: Clocks;
  #lead: number;
  #dueMs: number | undefined;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#lead = this.#leadNow();
  }

  expectTimer(ms: number): void {
    this.#dueMs = this.#clocks.wallMs() + ms;
  }

  expectNone(): void {
    this.#dueMs = undefined;
  }

  /** True if the machine slept since the last call. A clock change looks the same, without harm. */
  hasSlept(): boolean {
    const before = this.#lead;
    this.#lead = this.#leadNow();
    const isLate = this.#dueMs !== undefined && this.#clocks.wallMs() - this.#dueMs > toleranceMs;
    if (isLate) this.#dueMs = undefined; // reported once; the timer is about to fire
    return isLate || this.#lead - before > toleranceMs;
  }

  /** Grows by each sleep where the monotonic clock excludes sleep. */
  #leadNow(): number {
    return this.#clocks.wallMs() - this.#clocks.monotonicMs();
  }
}
