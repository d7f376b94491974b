import { quote } from '../catalog/diagnostics.js';
import { nearestNames } from '../catalog/nearest-names.js';
import type { Snapshot, ToolEntry } from '../catalog/snapshot.js';
import type { ToolDefinition, ToolView } from '../catalog/tool-view.js';
import { buildKeywordIndex, type TokenizedTool, tokenizeTool } from './keyword-index.js';
import { createKeywordRanker } from './keyword-ranker.js';
import { searchPattern } from './pattern-search.js';
import type { RankedTool, Ranker } from './ranker.js';
import { toSearchDocument } from './search-document.js';
import type { SearchDetail, SearchHit, SearchPolicy, SearchResult } from './search-request.js';

/** Searches one snapshot and nothing else: what is not in it leaves no trace in hits, counts, scores or hints. */
export function searchTools(
  snapshot: Snapshot,
  { query, useRegex, server, limit, detail }: SearchPolicy,
): SearchResult {
  const ranked = useRegex ? rankByPattern(snapshot, query) : rankByWords(snapshot, query.trim());
  const hits = ranked.flatMap(({ name, score }) => {
    const view = snapshot.entries.get(name)?.view;
    return view === undefined || (server !== undefined && view.server !== server) ? [] : [{ view, score }];
  });
  const tools = hits.slice(0, limit).map(({ view, score }) => toHit(view, score, detail));
  const hint = tools.length > 0 ? undefined : hintFor(query.trim(), server, snapshot.tools);
  return {
    mode: useRegex ? 'regex' : 'keyword',
    total: hits.length,
    returned: tools.length,
    revision: snapshot.revision,
    tools,
    ...(hint === undefined ? {} : { hint }),
  };
}

function rankByPattern({ entries }: Snapshot, pattern: string): readonly RankedTool[] {
  return searchPattern(pattern, Array.from(entries.values(), toSearchDocument));
}

function rankByWords(snapshot: Snapshot, query: string): readonly RankedTool[] {
  if (query === '' || query === '*') return snapshot.tools.map(({ name }) => ({ name, score: 0 }));
  const { ranker, byWholeName } = indexOf(snapshot);
  return exactNamesFirst(byWholeName.get(query.toLowerCase()) ?? [], ranker.rank(query));
}

/** Whoever gives a tool's whole name wants that tool, whatever else its words would find. */
function exactNamesFirst(exact: readonly string[], ranked: readonly RankedTool[]): readonly RankedTool[] {
  if (exact.length === 0) return ranked;
  const isExact = new Set(exact);
  const best = (ranked[0]?.score ?? 0) + 1;
  const scores = new Map(ranked.map(({ name, score }) => [name, score]));
  const first = exact.map((name) => ({ name, score: best + (scores.get(name) ?? 0) }));
  first.sort((left, right) => right.score - left.score);
  return [...first, ...ranked.filter(({ name }) => !isExact.has(name))];
}

/** What is worked out once for a snapshot. */
interface SearchIndex {
  readonly ranker: Ranker;
  /** Public names by every way to write a whole name, in lower case. */
  readonly byWholeName: ReadonlyMap<string, readonly string[]>;
}

// Caches that only ever hold what follows from their keys, so two registries may share them.
const indexes = new WeakMap<Snapshot, SearchIndex>();
const tokenized = new WeakMap<ToolDefinition, TokenizedTool>();

/** Made at the first search of a snapshot; a change costs the words of the changed tools only. */
function indexOf(snapshot: Snapshot): SearchIndex {
  const known = indexes.get(snapshot);
  if (known !== undefined) return known;
  const ranker = createKeywordRanker(buildKeywordIndex(Array.from(snapshot.entries.values(), tokenizedOf)));
  const index = { ranker, byWholeName: collectWholeNames(snapshot.tools) };
  indexes.set(snapshot, index);
  return index;
}

function collectWholeNames(tools: readonly ToolView[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { name, server, tool } of tools) {
    const qualified = server === undefined ? [] : [`${server}.${tool}`, `${server}/${tool}`];
    for (const text of new Set([name, tool, ...qualified].map((each) => each.trim().toLowerCase()))) {
      const same = names.get(text);
      if (same === undefined) names.set(text, [name]);
      else same.push(name);
    }
  }
  return names;
}

function tokenizedOf(entry: ToolEntry): TokenizedTool {
  const known = tokenized.get(entry.definition);
  if (known !== undefined && known.name === entry.view.name) return known;
  const tool = tokenizeTool(toSearchDocument(entry));
  tokenized.set(entry.definition, tool);
  return tool;
}

function toHit(view: ToolView, score: number, detail: SearchDetail): SearchHit {
  const { name, server, tool, title, description, state, inputSchema } = view;
  const texts = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
  return {
    name,
    server,
    tool,
    ...(detail === 'names' ? {} : texts),
    score: Math.round(score * 1000) / 1000,
    state,
    ...(detail === 'full' ? { inputSchema } : {}),
  };
}

function hintFor(query: string, server: string | undefined, tools: readonly ToolView[]): string {
  if (server !== undefined && !tools.some((view) => view.server === server)) {
    const servers = Array.from(new Set(tools.flatMap((view) => view.server ?? [])));
    const known = servers.slice(0, 10).map(quote).join(', ');
    return `No tools of a server named ${quote(server)}. ${known === '' ? 'No server has tools here' : `Servers with tools here: ${known}`}.`;
  }
  const near = nearestNames(query, tools);
  const names = near.length > 0 ? ` Nearest names: ${near.join(', ')}.` : '';
  const scope = server === undefined ? `${tools.length} tools` : `the tools of server ${quote(server)}`;
  return `Nothing in ${scope} matches ${quote(query)}.${names} Try other words for what the tool should do, or "*" to list all.`;
}
