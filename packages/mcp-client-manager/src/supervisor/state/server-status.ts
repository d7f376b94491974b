import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session, SessionFacts } from '../../session/session.js';
import type { Generation } from '../generation/generation.js';
import type { Generations } from '../generation/generations.js';
import { describeFailure } from '../generation/refusal.js';
import type { ReadyMonitor } from '../health/ready-monitor.js';
import type { KnownTools } from '../tools/known-tools.js';
import { conditionOf, type ServerCondition } from './condition.js';
import { hasProcess, type ServerState } from './server-state.js';
import type { StateTimers } from './state-timers.js';

/** A row of the status table. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerCondition;
  readonly phase: ServerState['phase'];
  /** What the last health check said. `unknown` before the first one and while the server is not running. */
  readonly health: 'unknown' | 'healthy' | 'unhealthy';
  /** When `health` was found out, in milliseconds since 1970. */
  readonly healthCheckedAt?: number | undefined;
  readonly autoStart: boolean;
  /** Kept out of service by its spec. */
  readonly disabled: boolean;
  readonly transport: 'stdio' | 'http' | 'in-process';
  /** Tools that are offered now; 0 when none are known, and while the server is down because of a failure. */
  readonly tools: number;
  /** When the tools were listed, in milliseconds since 1970, if an earlier process did that and this one has not yet. */
  readonly cachedAt?: number | undefined;
  /** Calls that were sent and not answered yet. */
  readonly callsInFlight: number;
  /** Calls that wait for their turn or for the server. */
  readonly callsQueued: number;
  readonly pid?: number | undefined;
  readonly uptimeMs?: number | undefined;
  /** Starts after the first one. */
  readonly restarts: number;
  /** Until the server is tried again by itself, in milliseconds. Present while it waits for that. */
  readonly retryInMs?: number | undefined;
  readonly protocolVersion?: string | undefined;
  /** Lines on stdout that were no message. */
  readonly junkLines: number;
  /** Problems of the list of tools and of the health check's tool. Empty when there are none. */
  readonly catalogProblems: readonly string[];
  /** The last failure, and while it keeps the server down, what comes next. Not cleared by a later success. */
  readonly lastError?: string | undefined;
}

/** Parts of a supervisor that know facts about its server. */
interface StatusParts {
  readonly generation: Generation | undefined;
  readonly session: Session | undefined;
  readonly generations: Generations;
  readonly tools: KnownTools;
  readonly watch: ReadyMonitor;
  readonly timers: StateTimers;
  readonly lastError: string | undefined;
}

export function statusOf(
  {
    server: { name, autoStart, disabled, target },
    state,
    sessionFacts,
  }: { readonly server: ServerPolicy; readonly state: ServerState; readonly sessionFacts: SessionFacts | undefined },
  { generation, session, generations, tools, watch, timers, lastError }: StatusParts,
): ServerStatus {
  const callsInFlight = session?.callsInFlight ?? 0;
  return {
    name,
    state: conditionOf(state),
    phase: state.phase,
    autoStart,
    disabled,
    transport: target.type,
    tools: tools.offered.length,
    protocolVersion: sessionFacts?.protocolVersion,
    pid: hasProcess(state) ? generation?.pid : undefined,
    uptimeMs: watch.uptimeMs,
    restarts: generations.restarts,
    retryInMs: timers.retryInMs,
    callsInFlight,
    callsQueued: Math.max(watch.demand.calls - callsInFlight, 0),
    junkLines: generations.junkLines,
    lastError: describeFailure(state) ?? lastError,
    health: watch.health.verdict,
    healthCheckedAt: watch.health.checkedAt,
    catalogProblems: [...tools.problems, ...(session?.outputProblems ?? []), ...watch.health.problems],
    cachedAt: tools.cachedAt,
  };
}
