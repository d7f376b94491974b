import type { ServerRow } from '../control/reports.js';
import { type Sample, type ServerView, shownFacts } from './page-messages.js';
import { shortened } from './shortened.js';

const maxProblems = 20;
const maxTextLength = 2_000;

/** A row for the page, with limited texts, and times in place of durations. */
export function serverView(row: ServerRow, now: number): ServerView {
  return {
    ...picked(row, shownFacts),
    catalogProblems: problemsOf(row),
    lastError: row.lastError === undefined ? undefined : shortened(row.lastError, maxTextLength),
    startedAt: row.uptimeMs === undefined ? undefined : now - row.uptimeMs,
    retryAt: row.retryInMs === undefined ? undefined : now + row.retryInMs,
  };
}

function picked<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
}

export function sampleOf({ state, health, memoryBytes }: ServerRow, at: number): Sample {
  return { at, state, health, ...(memoryBytes !== undefined && { memoryBytes }) };
}

/** Keeps nearly equal times, because a time computed from a duration varies slightly. */
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

/** A server can have as many problems as tools. */
function problemsOf({ catalogProblems }: ServerRow): readonly string[] {
  const shown = catalogProblems.slice(0, maxProblems).map((problem) => shortened(problem, maxTextLength));
  const more = catalogProblems.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more`];
}
