import { Listeners } from '@x/internal/events';

const checkIntervalMs = 10_000;
/** Grace period after a sleep, during which failures do not count, in milliseconds. */
const graceMs = 60_000;

/**
 * Detects that the machine woke from sleep: connections are broken then, and servers seem to have been silent for
 * hours.
 */
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

  /** Calls `listener` after each sleep, until the returned function is called. */
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

export interface Clocks {
  /** Wall clock in milliseconds since 1970. It includes sleep. */
  readonly wallMs: () => number;
  /** Monotonic clock in milliseconds. It excludes sleep on Linux only. */
  readonly monotonicMs: () => number;
}

/** Normal drift of the clocks and lateness of a timer, in milliseconds. */
const toleranceMs = 30_000;

/** Detects that the machine slept: on Linux by the drift between two clocks, and everywhere by a late timer. */
export class SleepDetector {
  readonly #clocks: Clocks;
  #lead: number;
  /** Due time of the timer, by the wall clock. */
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

  /**
   * True if the machine slept since the last call. A clock change and a process that was stopped for half a minute look
   * the same, without harm.
   */
  hasSlept(): boolean {
    const before = this.#lead;
    this.#lead = this.#leadNow();
    const isLate = this.#dueMs !== undefined && this.#clocks.wallMs() - this.#dueMs > toleranceMs;
    if (isLate) this.#dueMs = undefined; // reported once; the timer is about to fire
    return isLate || this.#lead - before > toleranceMs;
  }

  /** Lead of the wall clock. It grows by each sleep where the monotonic clock excludes sleep. */
  #leadNow(): number {
    return this.#clocks.wallMs() - this.#clocks.monotonicMs();
  }
}
