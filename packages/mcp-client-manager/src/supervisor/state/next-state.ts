import { afterLoss, type RestartRules } from './after-loss.js';
import {
  aimOf,
  type Command,
  forgiven,
  type NextState,
  numbersOf,
  type QueuedState,
  queued,
  type ReadyState,
  type Report,
  type ServerInput,
  type ServerState,
  type StartingState,
} from './server-state.js';

/** Decides what comes next. Has no timers, no I/O and no clock, so any history can be tested. */
export function nextState(state: ServerState, input: ServerInput, rules: RestartRules): ServerState {
  if (state.phase === 'closed') return state;
  if ('generation' in input) return input.generation === state.generation ? afterReport(state, input, rules) : state;
  return aimOf(state).phase === 'closed' ? afterClosing(state, input) : afterCommand(state, input);
}

/** Once it is to be closed for good, all that is left to say is not to wait for its calls. */
function afterClosing(state: ServerState, command: Command): ServerState {
  return command.type === 'close' ? leading(state, aimOf(state) as NextState, command.drainMs) : state;
}

function afterCommand(state: ServerState, command: Command): ServerState {
  switch (command.type) {
    case 'start':
      return afterStart(state);
    case 'wanted':
      return afterDemand(state, command);
    case 'restart':
      if (aimOf(state).phase === 'disabled') return state;
      return state.phase === 'queued' ? renewed(state) : leading(state, startAnew(state), command.drainMs);
    case 'relaunch':
      return afterRelaunch(state, command.drainMs);
    case 'stop':
      return aimOf(state).phase === 'disabled' ? state : leading(state, idle(state), command.drainMs);
    case 'disable':
      return leading(state, { phase: 'disabled', ...countsOf(state) }, command.drainMs);
    case 'enable':
      return aimOf(state).phase === 'disabled' ? leading(state, idle(state), 0) : state;
    case 'close':
      return leading(state, { phase: 'closed', ...countsOf(state), reason: command.reason }, command.drainMs);
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
    case 'relisted': // whatever becomes of the list, it is no reason to end a server that lives
      return state.phase === 'ready' && state.catalog !== report.catalog
        ? { ...state, catalog: report.catalog }
        : state;
    case 'steady':
      return state.phase === 'ready' && state.failures > 0
        ? { ...state, failures: Math.floor(state.failures / 2) }
        : state;
    case 'settled':
      return state.phase === 'ready' && hasHistory(state) ? { ...state, ...forgiven(state) } : state;
    case 'unused':
      return state.phase === 'ready' ? leading(state, idle(state), 0) : state;
    case 'health':
      return afterHealthCheck(state, report, rules);
    case 'frozen':
      return state.phase === 'ready' ? afterSilence(state, report, rules) : state;
    case 'outgrown':
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
    case 'rested':
      return state.phase === 'parked' || state.phase === 'auth-required' ? { ...state, wakesOnDemand: true } : state;
  }
}

function afterStart(state: ServerState): ServerState {
  if (state.phase === 'starting' || state.phase === 'ready') return state;
  const aim = aimOf(state);
  if (aim.phase === 'disabled') return state;
  if (aim.phase === 'queued') return state.phase === 'queued' ? renewed(state) : state;
  return leading(state, startAnew(state), Number.POSITIVE_INFINITY);
}

/** A call wakes what rests. It does not hurry a back-off, nor wake what failed for good, unless that can work by now. */
function afterDemand(state: ServerState, { isRepaired }: Extract<Command, { type: 'wanted' }>): ServerState {
  const aim = aimOf(state);
  const mayWake =
    aim.phase === 'idle' ||
    (aim.phase === 'failed' && isRepaired === true) ||
    ((aim.phase === 'parked' || aim.phase === 'auth-required') && aim.wakesOnDemand);
  if (!mayWake) return state;
  return leading(state, queuedAfter(state), Number.POSITIVE_INFINITY);
}

/** What ran the old way is replaced; what waited for a change has got one; what rests goes on resting. */
function afterRelaunch(state: ServerState, drainMs: number): ServerState {
  if (state.phase === 'starting' || state.phase === 'ready') return leading(state, startAnew(state), drainMs);
  if (state.phase === 'queued') return renewed(state);
  const aim = aimOf(state);
  switch (aim.phase) {
    case 'queued':
    case 'backoff':
      return leading(state, startAnew(state), drainMs);
    case 'idle':
    case 'parked':
    case 'auth-required':
    case 'failed':
      return leading(state, { phase: 'idle', ...forgiven(state) }, drainMs);
    default:
      return state;
  }
}

function afterHealthCheck(
  state: ServerState,
  { isAlive, cause, isExcused }: Extract<Report, { type: 'health' }>,
  rules: RestartRules,
): ServerState {
  if (state.phase !== 'ready') return state;
  if (isAlive) return state.misses > 0 ? { ...state, misses: 0 } : state;
  const misses = state.misses + 1;
  if (misses < rules.maxHealthMisses) return { ...state, misses };
  return afterSilence(state, { cause, isExcused }, rules);
}

function afterSilence(
  state: ReadyState,
  { cause, isExcused }: Pick<Extract<Report, { type: 'frozen' }>, 'cause' | 'isExcused'>,
  rules: RestartRules,
): ServerState {
  return leading(state, afterLoss(state, { kind: 'transient', cause, isExcused }, rules), 0);
}

function afterEnd(state: ServerState, { loss }: Extract<Report, { type: 'lost' }>, rules: RestartRules): ServerState {
  if (state.phase === 'draining') return leading(state, state.next, 0); // it was to go anyway
  if (state.phase !== 'starting' && state.phase !== 'ready') return state;
  return leading(state, afterLoss(state, loss, rules), 0);
}

/** A new process beside one that cannot be ended would be two of one server; a person has to look. */
function afterStuck(next: NextState, generation: number, cause: unknown): ServerState {
  if (next.phase === 'closed' || next.phase === 'disabled') return next;
  return { phase: 'failed', ...numbersOf(next), generation, cause };
}

/** Brings `state` to `next`: at once where there is no process, else when that is gone. */
function leading(state: ServerState, next: NextState, drainMs: number): ServerState {
  switch (state.phase) {
    case 'ready':
      return drainMs > 0 ? { phase: 'draining', ...numbersOf(state), drainMs, next } : stopping(state, next);
    case 'draining':
      if (drainMs === 0) return stopping(state, next);
      return isSameRest(state.next, next) ? state : { ...state, next };
    case 'starting':
      return stopping(state, next);
    case 'stopping':
      return isSameRest(state.next, next) ? state : stopping(state, next);
    default:
      return isSameRest(state, next) ? state : next;
  }
}

function isSameRest(one: ServerState, other: NextState): boolean {
  const isRest = one.phase === 'idle' || one.phase === 'disabled' || one.phase === 'closed';
  if (!isRest || one.phase !== other.phase) return false;
  return one.failures === other.failures && one.quickExits === other.quickExits;
}

function stopping(state: ServerState, next: NextState): ServerState {
  return { phase: 'stopping', ...numbersOf(state), next };
}

/** The next generation, with a clean history. */
function startAnew(state: ServerState): QueuedState {
  return queued(forgiven(state), reasonToBeDown(aimOf(state)));
}

/** The next generation, with what was counted so far. */
function queuedAfter(state: ServerState): QueuedState {
  return queued(countsOf(state), reasonToBeDown(aimOf(state)));
}

function renewed(state: QueuedState): QueuedState {
  return { ...state, ...forgiven(state) };
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
  return { phase: 'starting', ...numbersOf(state), step: 'spawn', after: state.after };
}

/** A finished handshake is no reason to forget failures; but what kept the handshake from being finished is over. */
function ready(state: StartingState): ReadyState {
  const numbers = { ...numbersOf(state), signInRetries: 0, earlyExit: undefined };
  return { phase: 'ready', ...numbers, misses: 0, catalog: 'complete' };
}

function idle(state: ServerState): NextState {
  return { phase: 'idle', ...countsOf(state) };
}

/** What is being ended because of a failure has that failure counted in what comes next. */
function countsOf(state: ServerState): ReturnType<typeof numbersOf> {
  return { ...numbersOf(aimOf(state)), generation: state.generation };
}

function hasHistory({ failures, quickExits }: ServerState): boolean {
  return failures > 0 || quickExits > 0;
}

function isWaiting({ phase }: ServerState): boolean {
  return phase === 'backoff' || phase === 'parked' || phase === 'auth-required';
}
