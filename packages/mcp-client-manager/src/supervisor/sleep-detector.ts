export interface Clocks {
  /** The time of day, in milliseconds since 1970. It goes on while the host sleeps. */
  readonly wallMs: () => number;
  /** Time that the host was awake, in milliseconds. */
  readonly monotonicMs: () => number;
}

/** How far the clocks may drift apart between two looks without meaning anything, in milliseconds. */
const toleranceMs = 30_000;

/** Tells from two clocks whether the host has slept. */
export class SleepDetector {
  readonly #clocks: Clocks;
  #lead: number;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#lead = this.#leadNow();
  }

  /** Whether the host has slept since the last look. A clock that is set by hand looks the same, which does no harm. */
  hasSlept(): boolean {
    const before = this.#lead;
    this.#lead = this.#leadNow();
    return this.#lead - before > toleranceMs;
  }

  /** How far the wall clock is ahead. It gains what the host sleeps. */
  #leadNow(): number {
    return this.#clocks.wallMs() - this.#clocks.monotonicMs();
  }
}
