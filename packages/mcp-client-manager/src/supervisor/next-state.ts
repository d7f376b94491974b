/**
 * The life of one server. A generation is one start attempt; its number only grows, and whatever is tagged with an
 * older one changes nothing. `failures` counts failed generations with no stable period between them.
 */
export type ServerState = RestingState | StartingState | ReadyState | StoppingState;

/** No process, or none that anybody may use. */
export type RestingState =
  /** Stopped on purpose, never started, or left by itself with exit code 0. Starts when it is wanted. */
  | (Numbers & { readonly phase: 'idle' })
  /** Waits before the next attempt. */
  | (Numbers & { readonly phase: 'backoff'; readonly delayMs: number; readonly cause: unknown })
  /** Failed too often in a row. Only `start` and `restart` wake it. */
  | (Numbers & { readonly phase: 'parked'; readonly cause: unknown })
  /** Cannot work until a person changes something. Only `start` and `restart` try again. */
  | (Numbers & { readonly phase: 'failed'; readonly cause: unknown })
  | (Numbers & { readonly phase: 'closed' });

export type StartingState = Numbers & {
  readonly phase: 'starting';
  readonly step: StartStep;
  /** Whether the server was down because of a failure before, or rested on purpose. */
  readonly after: 'failure' | 'rest';
};

export type ReadyState = Numbers & {
  readonly phase: 'ready';
  /** Health checks missed in a row. */
  readonly misses: number;
  readonly catalog: CatalogCompleteness;
};

/** The process is being ended; `then` is what comes when it is gone. */
export type StoppingState = Numbers & { readonly phase: 'stopping'; readonly then: RestingState | StartingState };

export type StartStep = 'spawn' | 'handshake' | 'tools';
export type CatalogCompleteness = 'complete' | 'partial' | 'unavailable';

interface Numbers {
  readonly generation: number;
  readonly failures: number;
}

export type ServerInput =
  /** `start` and `restart` come from a person or the app and clear the history; `wanted` comes from a call. */
  | { readonly type: 'start' | 'restart' | 'wanted' | 'stop' | 'close' }
  | { readonly type: 'step'; readonly generation: number; readonly step: StartStep }
  | { readonly type: 'ready' | 'relisted'; readonly generation: number; readonly catalog: CatalogCompleteness }
  /** Ready for long enough: what went wrong before is forgotten. */
  | { readonly type: 'settled'; readonly generation: number }
  | { readonly type: 'health'; readonly generation: number; readonly isAlive: boolean; readonly cause?: unknown }
  | { readonly type: 'lost'; readonly generation: number; readonly kind: LossKind; readonly cause: unknown }
  /** The process and all it started are gone. */
  | { readonly type: 'stopped'; readonly generation: number }
  /** Something of the process outlived all that was done to end it. */
  | { readonly type: 'stuck'; readonly generation: number; readonly cause: unknown }
  | { readonly type: 'delay-over'; readonly generation: number };

/** `clean`: left by itself with exit code 0. `permanent`: the same attempt would fail the same way again. */
export type LossKind = 'clean' | 'transient' | 'permanent';

export interface RestartRules {
  readonly restartOnFailure: boolean;
  /** Restarts in a row with no stable period between them before the server is parked. */
  readonly maxRestartAttempts: number;
  /** Misses in a row after which a server counts as dead. */
  readonly maxHealthMisses: number;
  /** Wait before the next attempt after `failures` failures in a row, in milliseconds. */
  delayMs(failures: number): number;
}

export const initialState: ServerState = { phase: 'idle', generation: 0, failures: 0 };

/** Decides what comes next. Has no timers, no I/O and no clock, so any history can be tested. */
export function nextState(state: ServerState, input: ServerInput, rules: RestartRules): ServerState {
  if (state.phase === 'closed') return state;
  if (isClosing(state) && input.type !== 'stopped' && input.type !== 'stuck') return state;
  if ('generation' in input && input.generation !== state.generation) return state;

  switch (input.type) {
    case 'start':
      return afterStart(state);
    case 'wanted':
      return afterDemand(state);
    case 'restart':
      return hasProcess(state) ? stopping(state, restarting(state, 0)) : restarting(state, 0);
    case 'stop':
      return afterStop(state);
    case 'close':
      return hasProcess(state) ? stopping(state, closed(state)) : closed(state);
    case 'step':
      return state.phase === 'starting' ? { ...state, step: input.step } : state;
    case 'ready':
      return state.phase === 'starting' ? ready(state, input.catalog) : state;
    case 'relisted':
      return state.phase === 'ready' && state.catalog !== input.catalog ? { ...state, catalog: input.catalog } : state;
    case 'settled':
      return state.phase === 'ready' && state.failures > 0 ? { ...state, failures: 0 } : state;
    case 'health':
      return afterHealthCheck(state, input, rules);
    case 'lost':
      return state.phase === 'starting' || state.phase === 'ready'
        ? stopping(state, afterLoss(state, input, rules))
        : state;
    case 'stopped':
      return state.phase === 'stopping' ? state.then : state;
    case 'stuck':
      return state.phase === 'stopping' ? afterStuck(state, input.cause) : state;
    case 'delay-over':
      return state.phase === 'backoff' ? restarting(state, state.failures) : state;
  }
}

function afterStart(state: ServerState): ServerState {
  if (state.phase === 'starting' || state.phase === 'ready') return state;
  if (state.phase !== 'stopping') return restarting(state, 0);
  return state.then.phase === 'starting' ? state : stopping(state, restarting(state, 0));
}

function afterStop(state: ServerState): ServerState {
  if (state.phase === 'idle' || (state.phase === 'stopping' && state.then.phase === 'idle')) return state;
  return hasProcess(state) ? stopping(state, idle(state)) : idle(state);
}

/** A new process beside one that cannot be ended would be two of one server; a person has to look. */
function afterStuck(state: StoppingState, cause: unknown): ServerState {
  if (isClosing(state)) return state.then;
  return { phase: 'failed', generation: state.generation, failures: failuresOf(state), cause };
}

/** A call wakes what rests on purpose. It does not hurry a back-off, nor wake what failed for good. */
function afterDemand(state: ServerState): ServerState {
  if (state.phase === 'idle') return restarting(state, state.failures);
  if (state.phase === 'stopping' && state.then.phase === 'idle')
    return stopping(state, restarting(state, failuresOf(state)));
  return state;
}

function afterHealthCheck(
  state: ServerState,
  { isAlive, cause }: Extract<ServerInput, { type: 'health' }>,
  rules: RestartRules,
): ServerState {
  if (state.phase !== 'ready') return state;
  if (isAlive) return state.misses > 0 ? { ...state, misses: 0 } : state;
  const misses = state.misses + 1;
  if (misses < rules.maxHealthMisses) return { ...state, misses };
  return stopping(state, afterLoss(state, { kind: 'transient', cause }, rules));
}

function afterLoss(
  { generation, failures }: Numbers,
  { kind, cause }: { kind: LossKind; cause: unknown },
  rules: RestartRules,
): RestingState {
  if (kind === 'clean') return { phase: 'idle', generation, failures };
  const counted = { generation, failures: failures + 1 };
  if (kind === 'permanent' || !rules.restartOnFailure) return { phase: 'failed', ...counted, cause };
  if (counted.failures > rules.maxRestartAttempts) return { phase: 'parked', ...counted, cause };
  return { phase: 'backoff', ...counted, delayMs: rules.delayMs(counted.failures), cause };
}

function isClosing(state: ServerState): boolean {
  return state.phase === 'stopping' && state.then.phase === 'closed';
}

/** What is being stopped because of a failure has that failure counted in what comes next. */
function failuresOf(state: ServerState): number {
  return state.phase === 'stopping' ? state.then.failures : state.failures;
}

type ProcessState = StartingState | ReadyState | StoppingState;

function hasProcess(state: ServerState): state is ProcessState {
  return state.phase === 'starting' || state.phase === 'ready' || state.phase === 'stopping';
}

function stopping({ generation, failures }: Numbers, then: StoppingState['then']): ServerState {
  return { phase: 'stopping', generation, failures, then };
}

/** The next generation. */
function restarting(state: ServerState, failures: number): StartingState {
  return { phase: 'starting', generation: state.generation + 1, failures, step: 'spawn', after: reasonToBeDown(state) };
}

function reasonToBeDown(state: ServerState): StartingState['after'] {
  switch (state.phase) {
    case 'starting':
      return state.after;
    case 'stopping':
      return reasonToBeDown(state.then);
    case 'backoff':
    case 'parked':
    case 'failed':
      return 'failure';
    default:
      return 'rest';
  }
}

function ready({ generation, failures }: Numbers, catalog: CatalogCompleteness): ReadyState {
  return { phase: 'ready', generation, failures, misses: 0, catalog };
}

function idle(state: ServerState): RestingState {
  return { phase: 'idle', generation: state.generation, failures: failuresOf(state) };
}

function closed(state: ServerState): RestingState {
  return { phase: 'closed', generation: state.generation, failures: failuresOf(state) };
}
