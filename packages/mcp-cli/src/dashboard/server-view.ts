import type { ServerRow } from '../control/control.js';
import type { Sample, ServerView } from './page-messages.js';

/** What of a row the page is told: field by field, so that nothing goes out because it was added somewhere else. */
export function serverView(row: ServerRow, now: number): ServerView {
  return {
    name: row.name,
    state: row.state,
    phase: row.phase,
    health: row.health,
    transport: row.transport,
    autoStart: row.autoStart,
    disabled: row.disabled,
    tools: row.tools,
    callsInFlight: row.callsInFlight,
    callsQueued: row.callsQueued,
    restarts: row.restarts,
    junkLines: row.junkLines,
    catalogProblems: row.catalogProblems,
    pid: row.pid,
    startedAt: row.uptimeMs === undefined ? undefined : now - row.uptimeMs,
    retryAt: row.retryInMs === undefined ? undefined : now + row.retryInMs,
    memoryBytes: row.memoryBytes,
    protocolVersion: row.protocolVersion,
    requirement: row.requirement,
    lastError: row.lastError,
  };
}

export function sampleOf({ state, health, memoryBytes }: ServerRow, at: number): Sample {
  return { at, state, health, ...(memoryBytes !== undefined && { memoryBytes }) };
}
