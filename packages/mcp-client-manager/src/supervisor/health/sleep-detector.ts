export interface Clocks {
  /** The time of day, in milliseconds since 1970. It goes on while the host sleeps. */
  readonly wallMs: () => number;
  /** Time since some moment, in milliseconds. It stands still while the host sleeps on Linux, and there alone. */
  readonly monotonicMs: () => number;
}

/** How far the clocks may drift apart, and how late a timer may fire, without meaning anything, in milliseconds. */
const toleranceMs = 30_000;

/**
 * Tells whether the host has slept: where one clock stands still meanwhile, by comparing two of them, and everywhere by a
 * timer that fires far too late.
 */
export class SleepDetector {
  readonly #clocks: Clocks;
  #lead: number;
  /** When the timer has to have fired, by the wall clock. */
  #dueMs: number | undefined;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#lead = this.#leadNow();
  }

  /** To be called when a timer is set that fires in `ms` milliseconds. */
  expectTimer(ms: number): void {
    this.#dueMs = this.#clocks.wallMs() + ms;
  }

  /** To be called when no timer runs any more. */
  expectNone(): void {
    this.#dueMs = undefined;
  }

  /**
   * Whether the host has slept since the last look. A clock that is set by hand and a host that stands still for half a
   * minute look the same, which does no harm.
   */
  hasSlept(): boolean {
    const before = this.#lead;
    this.#lead = this.#leadNow();
    const isLate = this.#dueMs !== undefined && this.#clocks.wallMs() - this.#dueMs > toleranceMs;
    if (isLate) this.#dueMs = undefined; // told once; the timer fires in a moment
    return isLate || this.#lead - before > toleranceMs;
  }

  /** How far the wall clock is ahead. It gains what the host sleeps, where the other clock stands still. */
  #leadNow(): number {
    return this.#clocks.wallMs() - this.#clocks.monotonicMs();
  }
}
