import type { Report, ServerState } from './server-state.js';

/** After each of these times in `ready`, in milliseconds, half of the failures of a server that is well are forgotten. */
const steadyPeriodsMs = [20_000, 40_000, 60_000];
/** After this time in `ready`, in milliseconds, all of them are. */
const stablePeriodMs = 120_000;
/** Least time between two start attempts that calls cause at a server that does not work, in milliseconds. */
const demandPauseMs = 30_000;

/** Something that happens to a state when it lasts. */
interface StateTimer {
  readonly afterMs: number;
  readonly report: Report;
  /** Whether the host process is to live until then. */
  readonly holdsHost: boolean;
}

/** The timers that a state needs, all of them counted from when its phase began. */
function timersOf(state: ServerState): readonly StateTimer[] {
  switch (state.phase) {
    case 'backoff':
      return [{ afterMs: state.delayMs, report: { type: 'delay-over' }, holdsHost: true }];
    case 'parked':
    case 'auth-required':
      return [
        { afterMs: demandPauseMs, report: { type: 'rested' }, holdsHost: false },
        { afterMs: state.delayMs, report: { type: 'delay-over' }, holdsHost: false },
      ];
    case 'ready':
      return [
        ...steadyPeriodsMs.map((afterMs): StateTimer => ({ afterMs, report: { type: 'steady' }, holdsHost: false })),
        { afterMs: stablePeriodMs, report: { type: 'settled' }, holdsHost: false },
      ];
    case 'draining':
      return [{ afterMs: state.drainMs, report: { type: 'drained' }, holdsHost: true }];
    default:
      return [];
  }
}

/** Runs the timers of the present state. */
export class StateTimers {
  readonly #report: (report: Report, generation: number) => void;
  #timers: NodeJS.Timeout[] = [];
  #retryAt: number | undefined;

  constructor(report: (report: Report, generation: number) => void) {
    this.#report = report;
  }

  /** Time until the server is tried again by itself, in milliseconds; `undefined` when it is not waiting for that. */
  get retryInMs(): number | undefined {
    return this.#retryAt === undefined ? undefined : Math.max(Math.round(this.#retryAt - performance.now()), 0);
  }

  /** To be called when another phase has begun, or the present one anew: the timers that there are end. */
  enter(state: ServerState): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#retryAt = undefined;
    this.#timers = timersOf(state).map(({ afterMs, report, holdsHost }) => {
      if (report.type === 'delay-over') this.#retryAt = performance.now() + afterMs;
      const timer = setTimeout(() => this.#report(report, state.generation), afterMs);
      return holdsHost ? timer : timer.unref();
    });
  }
}
