/** State of one server. Each start attempt is a generation; reports of older generations have no effect. */
export type ServerState = DownState | QueuedState | StartingState | ReadyState | DrainingState | StoppingState;

/** No process, and none about to start. */
export type DownState =
  /** Disabled by its spec. */
  | (Counters & { readonly phase: 'disabled' })
  /** Stopped on purpose, never started, or exited with code 0. Starts on demand. */
  | (Counters & { readonly phase: 'idle' })
  | (Counters & { readonly phase: 'backoff'; readonly delayMs: number; readonly cause: unknown })
  /** Failed too often in a row, or twice in the same way. Retried after minutes, or on demand. */
  | (Counters & WaitingState & { readonly phase: 'parked' })
  /** Requires a sign-in, which is no failure. Retried after minutes, or on demand. */
  | (Counters & WaitingState & { readonly phase: 'auth-required' })
  /**
   * Cannot work until the user changes something. Only `start` and `restart` retry, and a call once a missing command
   * exists.
   */
  | (Counters & { readonly phase: 'failed'; readonly cause: unknown })
  | (Counters & { readonly phase: 'closed'; readonly reason: CloseReason });

interface WaitingState {
  readonly delayMs: number;
  /** A call may retry already: not every call may cause an attempt. */
  readonly wakesOnDemand: boolean;
  readonly cause: unknown;
}

/** Waits for its turn to start. */
export type QueuedState = Counters & {
  readonly phase: 'queued';
  /** State before: idle, lost and restarting, or given up. */
  readonly after: 'rest' | 'fall' | 'failure';
};

/** A start in progress. */
export type StartingState = Counters & {
  readonly phase: 'starting';
  readonly step: StartStep;
  readonly after: QueuedState['after'];
};

/** The server accepts calls. */
export type ReadyState = Counters & {
  readonly phase: 'ready';
  readonly misses: number;
  readonly catalog: CatalogCompleteness;
};

/** Refuses new calls and finishes those in progress, for at most `drainMs`. */
export type DrainingState = Counters & {
  readonly phase: 'draining';
  readonly drainMs: number;
  readonly next: NextState;
};

/** The process is ending; `next` follows. */
export type StoppingState = Counters & { readonly phase: 'stopping'; readonly next: NextState };

/** State after the end of a process. */
export type NextState = DownState | QueuedState;

/** Step of a start. `health`: checks that call a tool. */
export type StartStep = 'spawn' | 'handshake' | 'tools' | 'health';
/** `partial`: a part of the tool list could not be read. `unavailable`: no page could. */
export type CatalogCompleteness = 'complete' | 'partial' | 'unavailable';
/** `removed`: from the manager's configuration. */
export type CloseReason = 'manager-closed' | 'removed';

export interface Counters {
  readonly generation: number;
  /** Failed generations since the last stable period, less those forgotten in shorter periods. */
  readonly failures: number;
  readonly quickExits: number;
  readonly signInRetries: number;
}

export type ServerInput = Command | (Report & { readonly generation: number });

/** From outside. `drainMs`: time for the calls in progress; 0 without any, or to skip the wait. */
export type Command =
  /** `start` and `restart` come from the user or the host and clear the history; `demand` comes from a call. */
  | { readonly type: 'start' | 'enable' }
  /** The cause of a permanent failure is gone. */
  | { readonly type: 'demand'; readonly isRepaired?: boolean | undefined }
  /** `relaunch`: the launch has changed. */
  | { readonly type: 'restart' | 'relaunch' | 'stop' | 'disable'; readonly drainMs: number }
  | { readonly type: 'close'; readonly drainMs: number; readonly reason: CloseReason };

/** From a generation, or from a wait that began with it. */
export type Report =
  | { readonly type: 'slot' }
  | { readonly type: 'step'; readonly step: StartStep }
  | { readonly type: 'ready' | 'relisted'; readonly catalog: CatalogCompleteness }
  /**
   * Ready for a short period: half of the failures are forgotten. A server that works between its failures is in no
   * crash loop.
   */
  | { readonly type: 'steady' }
  /** Ready for a stable period: all failures are forgotten. */
  | { readonly type: 'settled' }
  | { readonly type: 'unused' }
  | {
      readonly type: 'health';
      readonly isAlive: boolean;
      readonly cause?: unknown;
      readonly isInSleepGrace?: boolean | undefined;
    }
  /** Ready, and silent for too long with a call in progress. */
  | { readonly type: 'frozen'; readonly cause: unknown; readonly isInSleepGrace?: boolean | undefined }
  /** Ready, and over the memory limit of its spec. */
  | { readonly type: 'over-memory'; readonly cause: unknown; readonly drainMs: number }
  | { readonly type: 'lost'; readonly loss: Loss }
  | { readonly type: 'drained' }
  | { readonly type: 'stopped' }
  /** A process survived all attempts to end it. */
  | { readonly type: 'stuck'; readonly cause: unknown }
  | { readonly type: 'delay-over' }
  /** From now on, a call may cause an attempt. */
  | { readonly type: 'retry-allowed' };

/** An unrequested end of a generation. */
export type Loss =
  /** Exited with code 0; `isQuick`: within a minute of its start. */
  | { readonly kind: 'clean'; readonly isQuick: boolean; readonly cause: unknown }
  | {
      readonly kind: 'transient';
      readonly cause: unknown;
      /** The machine just woke from sleep: the server is not at fault. */
      readonly isInSleepGrace?: boolean | undefined;
    }
  /** The server seems healthy. */
  | { readonly kind: 'session-over'; readonly cause: unknown }
  /** The same attempt would fail again. */
  | { readonly kind: 'permanent'; readonly cause: unknown }
  /** The system lacks resources; the server is not at fault. */
  | { readonly kind: 'exhausted'; readonly cause: unknown; readonly delayMs: number }
  | { readonly kind: 'auth-required'; readonly cause: unknown };

const freshCounters: Counters = { generation: 0, failures: 0, quickExits: 0, signInRetries: 0 };

export function initialState({ disabled }: { readonly disabled: boolean }): ServerState {
  return { phase: disabled ? 'disabled' : 'idle', ...freshCounters };
}

export function countersOf({ generation, failures, quickExits, signInRetries }: Counters): Counters {
  return { generation, failures, quickExits, signInRetries };
}

export function withCleanHistory({ generation }: Counters): Counters {
  return { ...freshCounters, generation };
}

export function hasHistory({ failures, quickExits }: Counters): boolean {
  return failures > 0 || quickExits > 0;
}

export function queued(numbers: Counters, after: QueuedState['after']): QueuedState {
  return { phase: 'queued', ...countersOf(numbers), generation: numbers.generation + 1, after };
}

/** The state after the end of the process, or else the state itself. */
export function aimOf(state: ServerState): Exclude<ServerState, DrainingState | StoppingState> {
  return state.phase === 'draining' || state.phase === 'stopping' ? state.next : state;
}

/** A new fault restarts the stable period. */
export function isLessStable(previous: ServerState, state: ServerState): boolean {
  if (previous.phase !== 'ready' || state.phase !== 'ready') return false;
  return state.misses > previous.misses || (previous.catalog === 'complete' && state.catalog !== 'complete');
}

export function hasProcess({ phase }: ServerState): boolean {
  return phase === 'starting' || phase === 'ready' || phase === 'draining' || phase === 'stopping';
}
