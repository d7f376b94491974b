import { conditionOf, type ServerCondition } from './supervisor/condition.js';
import type { ServerState } from './supervisor/server-state.js';
import type { Supervisor } from './supervisor/supervisor.js';

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
  /** What was wrong with the list of tools. Empty when all was well. */
  readonly catalogProblems: readonly string[];
  /** The last failure, and while it keeps the server down, what comes next. Not cleared by a later success. */
  readonly lastError?: string | undefined;
}

export function statusOf(supervisor: Supervisor): ServerStatus {
  const { name, autoStart, disabled, target } = supervisor.server;
  return {
    name,
    state: conditionOf(supervisor.state),
    phase: supervisor.state.phase,
    autoStart,
    disabled,
    transport: target.type,
    tools: supervisor.tools.length,
    protocolVersion: supervisor.sessionFacts?.protocolVersion,
    ...supervisor.facts,
  };
}
