/**
 * The life of one server. A generation is one start attempt; its number only grows, and whatever is tagged with an
 * older one changes nothing.
 */
export type ServerState = RestingState | QueuedState | StartingState | ReadyState | DrainingState | StoppingState;

/** No process, and none that is about to start. */
export type RestingState =
  /** Kept out of service by its spec. Only another spec changes that. */
  | (Numbers & { readonly phase: 'disabled' })
  /** Stopped on purpose, never started, or left by itself with exit code 0. Starts when it is wanted. */
  | (Numbers & { readonly phase: 'idle' })
  /** Waits before the next attempt. */
  | (Numbers & { readonly phase: 'backoff'; readonly delayMs: number; readonly cause: unknown })
  /** Failed too often in a row, or twice in the same way. Tried again after a long while, or when it is wanted. */
  | (Numbers & WaitingState & { readonly phase: 'parked' })
  /** Wants somebody to sign in. That is no failure; tried again after a long while, or when it is wanted. */
  | (Numbers & WaitingState & { readonly phase: 'auth-required' })
  /**
   * Cannot work until a person changes something. Only `start` and `restart` try again, and a call once a command that was
   * missing is there.
   */
  | (Numbers & { readonly phase: 'failed'; readonly cause: unknown })
  | (Numbers & { readonly phase: 'closed'; readonly reason: CloseReason });

interface WaitingState {
  /** Until the server is tried again by itself. */
  readonly delayMs: number;
  /** Whether a call may wake it already: callers must not make a start attempt each. */
  readonly wakesOnDemand: boolean;
  readonly cause: unknown;
}

/** Waits for its turn to start. */
export type QueuedState = Numbers & {
  readonly phase: 'queued';
  /** What the server was down for: it rested on purpose, it fell and comes back, or it had been given up. */
  readonly after: 'rest' | 'fall' | 'failure';
};

/** Is being started. Calls wait. */
export type StartingState = Numbers & {
  readonly phase: 'starting';
  readonly step: StartStep;
  readonly after: QueuedState['after'];
};

/** Takes calls. */
export type ReadyState = Numbers & {
  readonly phase: 'ready';
  /** Health checks missed in a row. */
  readonly misses: number;
  readonly catalog: CatalogCompleteness;
};

/** Takes no new calls and finishes those that are under way, for `drainMs` at most. */
export type DrainingState = Numbers & {
  readonly phase: 'draining';
  readonly drainMs: number;
  readonly next: NextState;
};

/** The process is being ended; `next` is what comes when it is gone. */
export type StoppingState = Numbers & { readonly phase: 'stopping'; readonly next: NextState };

/** What a server comes to once its process is gone. */
export type NextState = RestingState | QueuedState;

/** How far a start is. */
export type StartStep = 'spawn' | 'handshake' | 'tools';
/**
 * Whether all tools of the server are known: `partial` if some of its list could not be read, `unavailable` if
 * nothing could.
 */
export type CatalogCompleteness = 'complete' | 'partial' | 'unavailable';
/** `removed`: the server was taken out of the manager's configuration. */
export type CloseReason = 'manager-closed' | 'removed';

/** What a server brings along from state to state. */
export interface Numbers {
  readonly generation: number;
  /** Failed generations since the last stable period, less those that shorter periods have halved away. */
  readonly failures: number;
  /** Clean exits in a row that came within a minute of the start. */
  readonly quickExits: number;
  /** Starts in a row that ended with the wish for a sign-in. */
  readonly signInRetries: number;
  /** How the last start ended, when that was an exit before the handshake was over. */
  readonly earlyExit: string | undefined;
}

export type ServerInput = Command | (Report & { readonly generation: number });

/**
 * What somebody wants. `drainMs` is how long calls that are under way are waited for; 0 when there are none, or when
 * they are not to be waited for.
 */
export type Command =
  /** `start` and `restart` come from a person or the app and clear the history; `wanted` comes from a call. */
  | { readonly type: 'start' | 'enable' }
  /** `isRepaired`: what the server failed for good for is gone. */
  | { readonly type: 'wanted'; readonly isRepaired?: boolean | undefined }
  /** `relaunch`: what is to be run has changed. */
  | { readonly type: 'restart' | 'relaunch' | 'stop' | 'disable'; readonly drainMs: number }
  | { readonly type: 'close'; readonly drainMs: number; readonly reason: CloseReason };

/** What has become of a generation, or of a wait that began with it. */
export type Report =
  /** Its turn to start has come. */
  | { readonly type: 'slot' }
  | { readonly type: 'step'; readonly step: StartStep }
  | { readonly type: 'ready' | 'relisted'; readonly catalog: CatalogCompleteness }
  /** Ready for a while: half of the failures are forgotten. A server that serves between its failures is no crash loop. */
  | { readonly type: 'steady' }
  /** Ready for long enough: what went wrong before is forgotten. */
  | { readonly type: 'settled' }
  /** Ready and not used for as long as its spec allows. */
  | { readonly type: 'unused' }
  | {
      readonly type: 'health';
      readonly isAlive: boolean;
      readonly cause?: unknown;
      readonly isExcused?: boolean | undefined;
    }
  /** Ready, and silent for longer than a server may be that has a call to answer. */
  | { readonly type: 'frozen'; readonly cause: unknown; readonly isExcused?: boolean | undefined }
  /** Ready and larger than its spec allows. */
  | { readonly type: 'outgrown'; readonly cause: unknown; readonly drainMs: number }
  | { readonly type: 'lost'; readonly loss: Loss }
  /** No call is under way any more, or the time for them is over. */
  | { readonly type: 'drained' }
  /** The process and all it started are gone. */
  | { readonly type: 'stopped' }
  /** Something of the process outlived all that was done to end it. */
  | { readonly type: 'stuck'; readonly cause: unknown }
  | { readonly type: 'delay-over' }
  /** Long enough after the last attempt for a call to cause another. */
  | { readonly type: 'rested' };

/** Why a generation ended that nobody asked to end. */
export type Loss =
  /** Left by itself with exit code 0; `isQuick` when that was within a minute of its start. */
  | { readonly kind: 'clean'; readonly isQuick: boolean; readonly cause: unknown }
  | {
      readonly kind: 'transient';
      readonly cause: unknown;
      /** Present when it exited before the handshake: the same text means the same end. */
      readonly earlyExit?: string | undefined;
      /** Whether the host has just woken from sleep, so that it is no fault of the server. */
      readonly isExcused?: boolean | undefined;
    }
  /** The server is well as far as is known; only the session with it has ended. */
  | { readonly kind: 'session-over'; readonly cause: unknown }
  /** The same attempt would fail the same way again. */
  | { readonly kind: 'permanent'; readonly cause: unknown }
  /** The system has no room for another process now, which is no fault of the server. */
  | { readonly kind: 'exhausted'; readonly cause: unknown; readonly delayMs: number }
  | { readonly kind: 'auth-required'; readonly cause: unknown };

const newcomer: Numbers = { generation: 0, failures: 0, quickExits: 0, signInRetries: 0, earlyExit: undefined };

export function initialState({ disabled }: { readonly disabled: boolean }): ServerState {
  return { phase: disabled ? 'disabled' : 'idle', ...newcomer };
}

export function numbersOf({ generation, failures, quickExits, signInRetries, earlyExit }: Numbers): Numbers {
  return { generation, failures, quickExits, signInRetries, earlyExit };
}

/** The same server with nothing held against it. */
export function forgiven({ generation }: Numbers): Numbers {
  return { ...newcomer, generation };
}

/** Waits for its turn as the next generation. */
export function queued(numbers: Numbers, after: QueuedState['after']): QueuedState {
  return { phase: 'queued', ...numbersOf(numbers), generation: numbers.generation + 1, after };
}

/** Where a state leads: what comes when the process is gone, else the state itself. */
export function aimOf(state: ServerState): Exclude<ServerState, DrainingState | StoppingState> {
  return state.phase === 'draining' || state.phase === 'stopping' ? state.next : state;
}

/** Whether a server that is ready is so with a new fault: the time for which it must be well begins anew. */
export function isLessStable(previous: ServerState, state: ServerState): boolean {
  if (previous.phase !== 'ready' || state.phase !== 'ready') return false;
  return state.misses > previous.misses || (previous.catalog === 'complete' && state.catalog !== 'complete');
}

export function hasProcess({ phase }: ServerState): boolean {
  return phase === 'starting' || phase === 'ready' || phase === 'draining' || phase === 'stopping';
}
