import { isOnlyForApps } from '@x/internal/app-tools';
import { quote, startOf } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import { nearestNames } from '../../catalog/nearest-names.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import type {
  SearchDetail,
  SearchHit,
  SearchMatch,
  SearchMode,
  SearchNeed,
  SearchPolicy,
  SearchResult,
} from '../search-request.js';

const MAX_NAME_WORDS = 4;
/** Recalls a part of the query to the one who wrote it. */
const MAX_NEED = 40;

/** A tool of a result, before its definition is read. */
export interface FoundTool {
  readonly name: string;
  readonly score: number;
  readonly coverage: number;
  readonly matched: readonly SearchMatch[];
}

/** A part of a task, with its best tools. */
export interface RankedNeed {
  readonly text: string;
  readonly isWeak: boolean;
  readonly serving: readonly string[];
}

export interface SearchOutcome {
  readonly mode: SearchMode;
  readonly total: number;
  readonly tools: readonly FoundTool[];
  readonly truncated: boolean;
  readonly nextCursor?: string | undefined;
  readonly unmatchedTerms?: readonly string[];
  readonly isWeak?: boolean;
  /** The most important words that the best tool lacks. */
  readonly missing?: readonly string[];
  readonly needs?: readonly RankedNeed[];
  readonly pattern?: { readonly scanned: number; readonly of: number; readonly missesByCase?: true | undefined };
}

export function toSearchResult(outcome: SearchOutcome, policy: SearchPolicy, snapshot: Snapshot): SearchResult {
  const { mode, total, truncated, nextCursor, unmatchedTerms = [], isWeak = false, needs = [], pattern } = outcome;
  const tools = outcome.tools.flatMap((found) => {
    const view = snapshot.entries.get(found.name)?.view;
    return view === undefined ? [] : [{ ...toHit(view, found, policy.detail), ...servedBy(found.name, needs) }];
  });
  const offered = offeredTools(snapshot);
  const suggestions = total > 0 || !mayBeName(policy.query) ? [] : nearestNames(policy.query, offered);
  const hint = hintFor(outcome, policy, offered, suggestions);
  return {
    mode,
    total,
    returned: tools.length,
    truncated,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    revision: snapshot.revision,
    tools,
    unmatchedTerms,
    ...(isWeak ? { weak: true } : {}),
    ...(hint && { hint }),
    ...(needs.length > 0 ? { needs: needs.map(toNeed) } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
    ...(pattern === undefined ? {} : { scanned: pattern.scanned }),
    ...(isUnfinished(pattern) ? { timedOut: true } : {}),
  };
}

function servedBy(name: string, needs: readonly RankedNeed[]): Pick<SearchHit, 'needs'> {
  const served = needs.flatMap(({ isWeak, serving }, at) => (!isWeak && serving.includes(name) ? [at + 1] : []));
  return served.length > 0 ? { needs: served } : {};
}

function toNeed({ text, isWeak }: RankedNeed): SearchNeed {
  return { text: beginningOf(text), ...(isWeak ? { weak: true } : {}) };
}

function beginningOf(text: string): string {
  return text.length > MAX_NEED ? `${startOf(text, MAX_NEED)}…` : text;
}

/** No name is similar to a sentence, which takes the longest to compare. */
function mayBeName(query: string): boolean {
  return query !== '' && query.split(/\s+/, MAX_NAME_WORDS + 1).length <= MAX_NAME_WORDS;
}

function isUnfinished(pattern: SearchOutcome['pattern']): boolean {
  return pattern !== undefined && pattern.scanned < pattern.of;
}

function toHit(view: ToolView, { score, coverage, matched }: FoundTool, detail: SearchDetail): SearchHit {
  const { name, server, tool, title, description, state, inputSchema, outputSchema, annotations, keywords } = view;
  const texts = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
  const rest = {
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(keywords === undefined ? {} : { keywords }),
  };
  return {
    name,
    server,
    tool,
    ...(detail === 'names' ? {} : texts),
    score: round(score),
    coverage: round(coverage),
    state,
    matched: mergeFields(matched),
    ...(detail === 'full' ? rest : {}),
  };
}

/** The index splits descriptions, which readers need not know. */
function mergeFields(matched: readonly SearchMatch[]): readonly SearchMatch[] {
  const merged = new Map<string, Set<string>>();
  for (const { field, terms } of matched) {
    const name = field === 'lead' || field === 'rest' ? 'description' : field;
    merged.set(name, new Set([...(merged.get(name) ?? []), ...terms]));
  }
  return Array.from(merged, ([field, terms]) => ({ field, terms: Array.from(terms) }));
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function hintFor(
  { total, isWeak, missing = [], needs = [], pattern }: SearchOutcome,
  policy: SearchPolicy,
  tools: readonly ToolView[],
  suggestions: readonly string[],
): string | undefined {
  if (isUnfinished(pattern)) {
    return (
      `The pattern took too long: ${pattern?.scanned} of ${pattern?.of} tools were scanned. ` +
      'Try a simpler pattern, one server, or words.'
    );
  }
  if (total === 0) {
    const miss = missHint(policy, tools, suggestions);
    return pattern?.missesByCase ? `${miss} Patterns are case-sensitive; begin with (?i) to ignore case.` : miss;
  }
  if (!isWeak) {
    const weak = needs.flatMap((need) => (need.isWeak ? [quote(beginningOf(need.text))] : []));
    return weak.length === 0 ? undefined : `Probably nothing here for ${weak.join(', ')}.`;
  }
  const lacks = missing.length > 0 ? `; the nearest lack ${missing.map(quote).join(', ')}` : '';
  return `Probably no tool here fits${lacks}. Search once more in other words, or do without.`;
}

function missHint(
  { query, server, include }: SearchPolicy,
  tools: readonly ToolView[],
  suggestions: readonly string[],
): string {
  if (server !== undefined && !tools.some((view) => view.server === server)) {
    const servers = Array.from(new Set(tools.flatMap((view) => view.server ?? [])));
    const known = servers.slice(0, 10).map(quote).join(', ');
    return `No tools of a server named ${quote(server)}. ${known === '' ? 'No server has tools here' : `Servers with tools here: ${known}`}.`;
  }
  const scope = server === undefined ? `${tools.length} tools` : `the tools of server ${quote(server)}`;
  const ready = include === 'ready' ? ' whose servers are ready; include "all" searches those of the others too' : '';
  const names = suggestions.length > 0 ? ` Nearest names: ${suggestions.join(', ')}.` : '';
  return `Nothing in ${scope} matches ${quote(query)}${ready}.${names} Try other words for what the tool should do, or "*" to list all.`;
}

const offered = new WeakMap<Snapshot, readonly ToolView[]>();

/** Without those that only apps call. */
function offeredTools(snapshot: Snapshot): readonly ToolView[] {
  const { tools } = snapshot;
  const known = offered.get(snapshot) ?? (tools.some(isOnlyForApps) ? tools.filter(isForModels) : tools);
  offered.set(snapshot, known);
  return known;
}

const isForModels = (view: ToolView) => !isOnlyForApps(view);

export type AcceptsName = (name: string) => boolean;

export function isWanted({ server, include }: SearchPolicy): (view: ToolView) => boolean {
  return (view) =>
    !isOnlyForApps(view) &&
    (server === undefined || view.server === server) &&
    (include !== 'ready' || view.state === 'running' || view.state === 'degraded');
}

/** `undefined` if all tools are wanted, which is faster. */
export function acceptsNames(policy: SearchPolicy, snapshot: Snapshot): AcceptsName | undefined {
  const { entries, tools } = snapshot;
  const isWhole = policy.server === undefined && policy.include !== 'ready';
  if (isWhole && offeredTools(snapshot) === tools) return undefined;
  const accepts = isWanted(policy);
  return (name) => {
    const view = entries.get(name)?.view;
    return view !== undefined && accepts(view);
  };
}
