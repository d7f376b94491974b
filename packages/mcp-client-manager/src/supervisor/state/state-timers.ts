import { hasHistory, type Report, type ServerState } from './server-state.js';

/** Times in `ready` after which half of a healthy server's failures are forgotten. */
const steadyPeriodsMs = [20_000, 40_000, 60_000];
/** Time in `ready` after which all failures are forgotten. */
const stablePeriodMs = 120_000;
/** Between two start attempts of a failing server that calls cause. */
const demandPauseMs = 30_000;

interface StateTimer {
  readonly afterMs: number;
  readonly report: Report;
  readonly keepsAlive: boolean;
}

function timersOf(state: ServerState): readonly StateTimer[] {
  switch (state.phase) {
    case 'backoff':
      return [{ afterMs: state.delayMs, report: { type: 'delay-over' }, keepsAlive: true }];
    case 'parked':
    case 'auth-required':
      return [
        { afterMs: demandPauseMs, report: { type: 'retry-allowed' }, keepsAlive: false },
        { afterMs: state.delayMs, report: { type: 'delay-over' }, keepsAlive: false },
      ];
    case 'ready':
      if (!hasHistory(state)) return []; // hundreds of healthy servers need no timers
      return [
        ...steadyPeriodsMs.map((afterMs): StateTimer => ({ afterMs, report: { type: 'steady' }, keepsAlive: false })),
        { afterMs: stablePeriodMs, report: { type: 'settled' }, keepsAlive: false },
      ];
    case 'draining':
      return [{ afterMs: state.drainMs, report: { type: 'drained' }, keepsAlive: true }];
    default:
      return [];
  }
}

export class StateTimers {
  readonly #report: (report: Report, generation: number) => void;
  #timers: NodeJS.Timeout[] = [];
  #retryAt: number | undefined;

  constructor(report: (report: Report, generation: number) => void) {
    this.#report = report;
  }

  get retryInMs(): number | undefined {
    return this.#retryAt === undefined ? undefined : Math.max(Math.round(this.#retryAt - performance.now()), 0);
  }

  /** Replaces all timers. Must be called when a phase begins, or begins again. */
  enter(state: ServerState): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#retryAt = undefined;
    this.#timers = timersOf(state).map(({ afterMs, report, keepsAlive }) => {
      if (report.type === 'delay-over') this.#retryAt = performance.now() + afterMs;
      const timer = setTimeout(() => this.#report(report, state.generation), afterMs);
      return keepsAlive ? timer : timer.unref();
    });
  }
}
