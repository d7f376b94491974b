import type { ServerRow } from '../control/reports.js';
import type { Sample, ServerView } from './page-messages.js';
import { shortened } from './shortened.js';

const maxProblems = 20;
const maxTextLength = 2_000;

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
    catalogProblems: problemsOf(row),
    pid: row.pid,
    startedAt: row.uptimeMs === undefined ? undefined : now - row.uptimeMs,
    retryAt: row.retryInMs === undefined ? undefined : now + row.retryInMs,
    memoryBytes: row.memoryBytes,
    protocolVersion: row.protocolVersion,
    requirement: row.requirement,
    lastError: row.lastError === undefined ? undefined : shortened(row.lastError, maxTextLength),
  };
}

export function sampleOf({ state, health, memoryBytes }: ServerRow, at: number): Sample {
  return { at, state, health, ...(memoryBytes !== undefined && { memoryBytes }) };
}

/** A moment that is reckoned from a duration comes out a little differently each time: while it is the same, it stays. */
export function withoutJitter(view: ServerView, before: ServerView | undefined): ServerView {
  return {
    ...view,
    startedAt: steady(before?.startedAt, view.startedAt),
    retryAt: steady(before?.retryAt, view.retryAt),
  };
}

function steady(before: number | undefined, at: number | undefined): number | undefined {
  return before !== undefined && at !== undefined && Math.abs(at - before) < 1_000 ? before : at;
}

/** A server can have as many as it has tools. */
function problemsOf({ catalogProblems }: ServerRow): readonly string[] {
  const shown = catalogProblems.slice(0, maxProblems).map((problem) => shortened(problem, maxTextLength));
  const more = catalogProblems.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more`];
}
