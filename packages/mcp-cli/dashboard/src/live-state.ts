import { keptSamples } from '../../src/dashboard/kept-samples.js';
import {
  type ApprovalView,
  type CallView,
  type Changes,
  type DaemonView,
  type FleetView,
  type LiveMessage,
  maxCalls,
  type RecordingView,
  type Sample,
  type ServerView,
  type Snapshot,
} from '../../src/dashboard/page-messages.js';

/** Smaller differences are network delay. */
const clockToleranceMs = 1_500;

export type Connection =
  | { readonly phase: 'opening' | 'open' }
  /** Retries continue. `since`: by the page's clock. */
  | { readonly phase: 'lost'; readonly reason: string; readonly since: number }
  /** No message will follow. */
  | { readonly phase: 'ended'; readonly reason: string; readonly since: number };

export interface LiveState {
  readonly connection: Connection;
  /** True after the first snapshot. */
  readonly isKnown: boolean;
  /** Difference of the page's clock to the daemon's, in milliseconds. */
  readonly clockAheadMs: number;
  readonly daemon?: DaemonView | undefined;
  /** Absent for a daemon without a fleet. */
  readonly fleet?: FleetView | undefined;
  readonly servers: readonly ServerView[];
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  /** Oldest first. */
  readonly calls: readonly CallView[];
  /** Calls that wait, oldest first. */
  readonly approvals: readonly ApprovalView[];
  readonly recording?: RecordingView | undefined;
}

export type LiveInput = LiveMessage | { readonly type: 'lost' | 'ended'; readonly reason: string };

export const initialState: LiveState = {
  connection: { phase: 'opening' },
  isKnown: false,
  clockAheadMs: 0,
  servers: [],
  samples: {},
  calls: [],
  approvals: [],
};

/** The state after a message. Unchanged parts stay the same objects. */
export function nextState(state: LiveState, input: LiveInput, now: number): LiveState {
  switch (input.type) {
    case 'snapshot': {
      const { at, ...snapshot } = input.snapshot;
      return { connection: { phase: 'open' }, isKnown: true, clockAheadMs: clockAhead(state, at, now), ...snapshot };
    }
    case 'changes':
      return withChanges(state, input.changes, now);
    case 'lost':
    case 'ended': {
      const { connection } = state;
      const since = 'since' in connection ? connection.since : now;
      return { ...state, connection: { phase: input.type, reason: input.reason, since } };
    }
  }
}

function clockAhead({ clockAheadMs }: LiveState, at: Snapshot['at'], now: number): number {
  return Math.abs(now - at - clockAheadMs) > clockToleranceMs ? now - at : clockAheadMs;
}

function withChanges(state: LiveState, changes: Changes, now: number): LiveState {
  return {
    ...state,
    clockAheadMs: clockAhead(state, changes.at, now),
    daemon: changes.daemon ?? state.daemon,
    fleet: changes.fleet === undefined ? state.fleet : (changes.fleet ?? undefined),
    servers: withServers(state.servers, changes),
    samples: withSamples(state.samples, changes),
    calls: withCalls(state.calls, changes.calls),
    approvals: changes.approvals ?? state.approvals,
    recording: changes.recording ?? state.recording,
  };
}

function withServers(before: readonly ServerView[], { servers, removed }: Changes): readonly ServerView[] {
  if (servers.length === 0 && removed.length === 0) return before;
  const news = new Map(servers.map((server) => [server.name, server]));
  const gone = new Set(removed);
  const known = new Set(before.map(({ name }) => name));
  return [
    ...before.filter(({ name }) => news.has(name) || !gone.has(name)).map((server) => news.get(server.name) ?? server),
    ...servers.filter(({ name }) => !known.has(name)),
  ];
}

function withSamples(before: LiveState['samples'], { samples, removed }: Changes): LiveState['samples'] {
  const news = Object.entries(samples);
  if (news.length === 0 && removed.length === 0) return before;
  const all = new Map(Object.entries(before));
  for (const name of removed) all.delete(name);
  for (const [name, added] of news) {
    const kept = all.get(name) ?? [];
    const last = kept.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    // Samples taken during the snapshot are in it already.
    all.set(name, keptSamples([...kept, ...added.filter(({ at }) => at > last)]));
  }
  return Object.fromEntries(all);
}

function withCalls(before: readonly CallView[], news: readonly CallView[]): readonly CallView[] {
  if (news.length === 0) return before;
  const all = new Map(before.map((call) => [call.id, call]));
  for (const call of news) all.set(call.id, call);
  return [...all.values()].slice(-maxCalls);
}
