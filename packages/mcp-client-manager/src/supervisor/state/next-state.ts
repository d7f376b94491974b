import { afterLoss, type RestartRules } from './after-loss.js';
import {
  aimOf,
  type Command,
  countersOf,
  hasHistory,
  type NextState,
  type QueuedState,
  queued,
  type ReadyState,
  type Report,
  type ServerInput,
  type ServerState,
  type StartingState,
  withCleanHistory,
} from './server-state.js';

/** Decides the next state. Has no timers, I/O or clocks, so that any history can be tested. */
export function nextState(state: ServerState, input: ServerInput, rules: RestartRules): ServerState {
  if (state.phase === 'closed') return state;
  if ('generation' in input) return input.generation === state.generation ? afterReport(state, input, rules) : state;
  return aimOf(state).phase === 'closed' ? afterClosing(state, input) : afterCommand(state, input);
}

/** A closing server accepts only a `close` that shortens the wait for its calls. */
function afterClosing(state: ServerState, command: Command): ServerState {
  return command.type === 'close' ? leading(state, aimOf(state) as NextState, command.drainMs) : state;
}

function afterCommand(state: ServerState, command: Command): ServerState {
  switch (command.type) {
    case 'start':
      return afterStart(state);
    case 'demand':
      return afterDemand(state, command);
    case 'restart':
      if (aimOf(state).phase === 'disabled') return state;
      return state.phase === 'queued' ? renewed(state) : leading(state, restarted(state), command.drainMs);
    case 'relaunch':
      return afterRelaunch(state, command.drainMs);
    case 'stop':
      return aimOf(state).phase === 'disabled' ? state : leading(state, idle(state), command.drainMs);
    case 'disable':
      return leading(state, { phase: 'disabled', ...targetCounters(state) }, command.drainMs);
    case 'enable':
      return aimOf(state).phase === 'disabled' ? leading(state, idle(state), Number.POSITIVE_INFINITY) : state;
    case 'close':
      return leading(state, { phase: 'closed', ...targetCounters(state), reason: command.reason }, command.drainMs);
  }
}

function afterReport(state: ServerState, report: Report, rules: RestartRules): ServerState {
  switch (report.type) {
    case 'slot':
      return state.phase === 'queued' ? starting(state) : state;
    case 'step':
      return state.phase === 'starting' ? { ...state, step: report.step } : state;
    case 'ready':
      return state.phase === 'starting' ? { ...ready(state), catalog: report.catalog } : state;
    case 'relisted': // a broken list is no reason to end a live server
      return state.phase === 'ready' && state.catalog !== report.catalog
        ? { ...state, catalog: report.catalog }
        : state;
    case 'steady':
      return state.phase === 'ready' && state.failures > 0
        ? { ...state, failures: Math.floor(state.failures / 2) }
        : state;
    case 'settled':
      return state.phase === 'ready' && hasHistory(state) ? { ...state, ...withCleanHistory(state) } : state;
    case 'unused':
      return state.phase === 'ready' ? leading(state, idle(state), 0) : state;
    case 'health':
      return afterHealthCheck(state, report, rules);
    case 'frozen':
      return state.phase === 'ready' ? afterSilence(state, report, rules) : state;
    case 'over-memory':
      return state.phase === 'ready'
        ? leading(state, afterLoss(state, { kind: 'transient', cause: report.cause }, rules), report.drainMs)
        : state;
    case 'lost':
      return afterEnd(state, report, rules);
    case 'drained':
      return state.phase === 'draining' ? leading(state, state.next, 0) : state;
    case 'stopped':
      return state.phase === 'stopping' ? state.next : state;
    case 'stuck':
      return state.phase === 'stopping' ? afterStuck(state.next, state.generation, report.cause) : state;
    case 'delay-over':
      return isWaiting(state) ? queued(state, reasonToBeDown(state)) : state;
    case 'retry-allowed':
      return state.phase === 'parked' || state.phase === 'auth-required' ? { ...state, wakesOnDemand: true } : state;
  }
}

function afterStart(state: ServerState): ServerState {
  if (state.phase === 'starting' || state.phase === 'ready') return state;
  const aim = aimOf(state);
  if (aim.phase === 'disabled') return state;
  if (aim.phase === 'queued') return state.phase === 'queued' ? renewed(state) : state;
  return leading(state, restarted(state), Number.POSITIVE_INFINITY);
}

/** Neither shortens a backoff nor wakes a failed server, unless the cause was repaired. */
function afterDemand(state: ServerState, { isRepaired }: Extract<Command, { type: 'demand' }>): ServerState {
  const aim = aimOf(state);
  const mayWake =
    aim.phase === 'idle' ||
    (aim.phase === 'failed' && isRepaired === true) ||
    ((aim.phase === 'parked' || aim.phase === 'auth-required') && aim.wakesOnDemand);
  if (!mayWake) return state;
  return leading(state, queuedAfter(state), Number.POSITIVE_INFINITY);
}

/** Replaces running processes, retries waiting servers, and leaves idle ones idle. */
function afterRelaunch(state: ServerState, drainMs: number): ServerState {
  if (state.phase === 'starting' || state.phase === 'ready') return leading(state, restarted(state), drainMs);
  if (state.phase === 'queued') return renewed(state);
  const aim = aimOf(state);
  switch (aim.phase) {
    case 'queued':
    case 'backoff':
      return leading(state, restarted(state), drainMs);
    case 'idle':
    case 'parked':
    case 'auth-required':
    case 'failed':
      return leading(state, { phase: 'idle', ...withCleanHistory(state) }, drainMs);
    default:
      return state;
  }
}

function afterHealthCheck(
  state: ServerState,
  { isAlive, cause, isInSleepGrace }: Extract<Report, { type: 'health' }>,
  rules: RestartRules,
): ServerState {
  if (state.phase !== 'ready') return state;
  if (isAlive) return state.misses > 0 ? { ...state, misses: 0 } : state;
  const misses = state.misses + 1;
  if (misses < rules.maxHealthMisses) return { ...state, misses };
  return afterSilence(state, { cause, isInSleepGrace }, rules);
}

function afterSilence(
  state: ReadyState,
  { cause, isInSleepGrace }: Pick<Extract<Report, { type: 'frozen' }>, 'cause' | 'isInSleepGrace'>,
  rules: RestartRules,
): ServerState {
  return leading(state, afterLoss(state, { kind: 'transient', cause, isInSleepGrace }, rules), 0);
}

function afterEnd(state: ServerState, { loss }: Extract<Report, { type: 'lost' }>, rules: RestartRules): ServerState {
  if (state.phase === 'draining') return leading(state, state.next, 0);
  if (state.phase !== 'starting' && state.phase !== 'ready') return state;
  return leading(state, afterLoss(state, loss, rules), 0);
}

/** Starts nothing: a new process beside one that cannot be ended would run the server twice. */
function afterStuck(next: NextState, generation: number, cause: unknown): ServerState {
  if (next.phase === 'closed' || next.phase === 'disabled') return next;
  return { phase: 'failed', ...countersOf(next), generation, cause };
}

/** At once without a process, else after its end. */
function leading(state: ServerState, next: NextState, drainMs: number): ServerState {
  switch (state.phase) {
    case 'ready':
      return drainMs > 0 ? { phase: 'draining', ...countersOf(state), drainMs, next } : stopping(state, next);
    case 'draining':
      if (drainMs === 0) return stopping(state, next);
      return isSameStop(state.next, next) ? state : { ...state, next };
    case 'starting':
      return stopping(state, next);
    case 'stopping':
      return isSameStop(state.next, next) ? state : stopping(state, next);
    default:
      return isSameStop(state, next) ? state : next;
  }
}

function isSameStop(one: ServerState, other: NextState): boolean {
  const isStopped = one.phase === 'idle' || one.phase === 'disabled' || one.phase === 'closed';
  if (!isStopped || one.phase !== other.phase) return false;
  return one.failures === other.failures && one.quickExits === other.quickExits;
}

function stopping(state: ServerState, next: NextState): ServerState {
  return { phase: 'stopping', ...countersOf(state), next };
}

function restarted(state: ServerState): QueuedState {
  return queued(withCleanHistory(state), reasonToBeDown(aimOf(state)));
}

function queuedAfter(state: ServerState): QueuedState {
  return queued(targetCounters(state), reasonToBeDown(aimOf(state)));
}

function renewed(state: QueuedState): QueuedState {
  return { ...state, ...withCleanHistory(state) };
}

function reasonToBeDown(state: ServerState): QueuedState['after'] {
  switch (state.phase) {
    case 'queued':
    case 'starting':
      return state.after;
    case 'backoff':
      return 'fall';
    case 'parked':
    case 'auth-required':
    case 'failed':
      return 'failure';
    default:
      return 'rest';
  }
}

function starting(state: QueuedState): StartingState {
  return { phase: 'starting', ...countersOf(state), step: 'spawn', after: state.after };
}

/** A handshake clears only the failures that prevented it. */
function ready(state: StartingState): ReadyState {
  const numbers = { ...countersOf(state), signInRetries: 0 };
  return { phase: 'ready', ...numbers, misses: 0, catalog: 'complete' };
}

function idle(state: ServerState): NextState {
  return { phase: 'idle', ...targetCounters(state) };
}

/** They include the failure that ends the current generation. */
function targetCounters(state: ServerState): ReturnType<typeof countersOf> {
  return { ...countersOf(aimOf(state)), generation: state.generation };
}

function isWaiting({ phase }: ServerState): boolean {
  return phase === 'backoff' || phase === 'parked' || phase === 'auth-required';
}
