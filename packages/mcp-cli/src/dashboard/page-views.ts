import type { ApprovalReport, ServerRow } from '../control/reports.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { needsText } from '../servers/server-needs.js';
import { type ApprovalView, type FleetView, type Sample, type ServerView, shownFacts } from './page-messages.js';

const maxProblems = 20;
const maxTextLength = 2_000;
const maxReasonLength = 200;

/** A row for the page, with limited texts, and times in place of durations. */
export function serverView(row: ServerRow, now: number): ServerView {
  const needs = needsText(row);
  const lastError = row.healthError ?? row.lastError ?? needs;
  return {
    ...pick(row, shownFacts),
    catalogProblems: problemsOf(row),
    ...(needs !== undefined && { needs }),
    ...(needs !== undefined && row.needs?.some(({ kind }) => kind === 'sign-in') && { needsSignIn: true as const }),
    lastError: lastError === undefined ? undefined : truncate(lastError, maxTextLength),
    startedAt: row.uptimeMs === undefined ? undefined : now - row.uptimeMs,
    retryAt: row.retryInMs === undefined ? undefined : now + row.retryInMs,
  };
}

function pick<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
}

export function sampleOf({ state, health, memoryBytes, healthError, lastError }: ServerRow, at: number): Sample {
  const isWell = (state === 'running' && health !== 'unhealthy') || state === 'stopped';
  const reason = isWell ? undefined : (healthError ?? lastError);
  return {
    at,
    state,
    health,
    ...(reason !== undefined && { reason: truncate(reason, maxReasonLength) }),
    ...(memoryBytes !== undefined && { memoryBytes }),
  };
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
  const shown = catalogProblems.slice(0, maxProblems).map((problem) => truncate(problem, maxTextLength));
  const more = catalogProblems.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more`];
}

const maxApprovals = 50;
const maxArgumentsLength = 20_000;

/** The oldest calls that wait. */
export function approvalViews(reports: readonly ApprovalReport[]): readonly ApprovalView[] {
  return reports.slice(0, maxApprovals).map(({ id, server, tool, expiresAt, text, isWhole, arguments: args }) => {
    const rest = isWhole ? '' : JSON.stringify(args);
    return {
      id,
      tool: truncate(tool, maxNameLength),
      expiresAt: Date.parse(expiresAt),
      text,
      isCut: rest.length > maxArgumentsLength,
      ...(server !== undefined && { server }),
      ...(rest !== '' && { rest: truncate(rest, maxArgumentsLength) }),
    };
  });
}

const maxRows = 1_000;
const maxNameLength = 200;

/** A fleet for the page, in limited size. */
export function fleetView(report: FleetReport): FleetView {
  const { fleet, node, phase, isBusConnected, error, nodes, singletons, alarms } = report;
  const holders = new Map(singletons.map(({ server, holder }) => [server, holder]));
  const rows = nodes.flatMap((each) => each.servers.map((server) => ({ ...server, node: each.node })));
  return {
    fleet,
    node,
    phase,
    isBusConnected,
    ...(error && { error: truncate(error.message, maxTextLength) }),
    nodes: nodes.slice(0, maxRows).map(({ node: name, isOwn, state, servers }) => ({
      name: truncate(name, maxNameLength),
      isOwn,
      state,
      servers: servers.length,
    })),
    servers: rows.slice(0, maxRows).map((row) => ({
      node: truncate(row.node, maxNameLength),
      server: truncate(row.server, maxNameLength),
      placement: row.placement,
      state: truncate(row.state, maxNameLength),
      isOwner: row.placement === 'singleton' && holders.get(row.server) === row.node,
      ...(row.source !== undefined && { source: truncate(row.source, maxNameLength) }),
      ...(row.tools !== undefined && { tools: row.tools }),
    })),
    moreServers: Math.max(0, rows.length - maxRows),
    alarms: alarms.map(({ at, operation, subject }) => ({ at, operation, subject: truncate(subject, maxNameLength) })),
  };
}

/** The text, or its beginning and `…`, in at most `max` UTF-16 units. Splits no surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
