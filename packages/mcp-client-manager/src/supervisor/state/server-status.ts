import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session, SessionFacts } from '../../session/session.js';
import type { Generation } from '../generation/generation.js';
import type { Generations } from '../generation/generations.js';
import { describeFailure } from '../generation/refusal.js';
import type { ReadyMonitor } from '../health/ready-monitor.js';
import type { KnownTools } from '../tools/known-tools.js';
import { conditionOf, type ServerCondition } from './condition.js';
import { needsOf, type ServerNeed } from './server-needs.js';
import { hasProcess, type ServerState } from './server-state.js';
import type { StateTimers } from './state-timers.js';

/** A row of the status table. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerCondition;
  readonly phase: ServerState['phase'];
  /** `unknown` while the server is not running, and before the first check of a start. */
  readonly health: 'unknown' | 'healthy' | 'unhealthy';
  /** Reason of the last health check, if it failed. */
  readonly healthError?: string | undefined;
  /** Time of the verdict, in milliseconds since 1970. */
  readonly healthCheckedAt?: number | undefined;
  readonly autoStart: boolean;
  /** Disabled by its spec. */
  readonly disabled: boolean;
  readonly transport: 'stdio' | 'http' | 'in-process';
  /** Known tools that the spec allows, even while none are offered. */
  readonly tools: number;
  /** Time when an earlier process listed the tools, in milliseconds since 1970, if this one has not yet. */
  readonly cachedAt?: number | undefined;
  /** Calls that were sent and have no response yet. */
  readonly callsInFlight: number;
  /** Waiting in the queue or for the server. */
  readonly callsQueued: number;
  readonly pid?: number | undefined;
  readonly uptimeMs?: number | undefined;
  /** Starts after a failure, or in place of a running process. A start after a stop or disuse does not count. */
  readonly restarts: number;
  /** Milliseconds until the next automatic attempt, if one is scheduled. */
  readonly retryInMs?: number | undefined;
  readonly protocolVersion?: string | undefined;
  /** Invalid lines on stdout. */
  readonly junkLines: number;
  /** Problems of the tool list and of the health check's tool. */
  readonly catalogProblems: readonly string[];
  /** The last failure and, while it keeps the server down, the outlook. A later success does not clear it. */
  readonly lastError?: string | undefined;
  /** What its user must provide before it can start. Absent if nothing is known to be missing. */
  readonly needs?: readonly ServerNeed[] | undefined;
}

interface StatusParts {
  readonly generation: Generation | undefined;
  readonly session: Session | undefined;
  readonly generations: Generations;
  readonly tools: KnownTools;
  readonly monitor: ReadyMonitor;
  readonly timers: StateTimers;
  readonly lastError: string | undefined;
}

export function statusOf(
  {
    server,
    state,
    sessionFacts,
  }: { readonly server: ServerPolicy; readonly state: ServerState; readonly sessionFacts: SessionFacts | undefined },
  { generation, session, generations, tools, monitor, timers, lastError }: StatusParts,
): ServerStatus {
  const { name, autoStart, disabled, target } = server;
  const callsInFlight = session?.callsInFlight ?? 0;
  return {
    name,
    state: conditionOf(state),
    phase: state.phase,
    autoStart,
    disabled,
    transport: target.type,
    tools: tools.allowed.length,
    protocolVersion: sessionFacts?.protocolVersion,
    pid: hasProcess(state) ? generation?.pid : undefined,
    uptimeMs: monitor.uptimeMs,
    restarts: generations.restarts,
    retryInMs: timers.retryInMs,
    callsInFlight,
    callsQueued: Math.max(monitor.demand.calls - callsInFlight, 0),
    junkLines: generations.junkLines,
    lastError: describeFailure(state) ?? lastError,
    health: monitor.health.verdict,
    healthError: monitor.health.problem,
    healthCheckedAt: monitor.health.checkedAt,
    catalogProblems: [...tools.problems, ...(session?.outputProblems ?? []), ...monitor.health.problems],
    cachedAt: tools.cachedAt,
    needs: needsOf(server, state),
  };
}
