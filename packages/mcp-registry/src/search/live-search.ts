import { digest } from '../catalog/digest.js';
import type { Lifetime } from '../catalog/lifetime.js';
import type { Snapshot, ToolEntry } from '../catalog/snapshot.js';
import type { ToolView } from '../catalog/tool-view.js';
import { RegistryError } from '../errors.js';
import { diffDocuments } from './document-changes.js';
import { FUSED_DEPTH, fuseRankings, type Ranking } from './fuse-rankings.js';
import { KeywordIndex } from './keyword-index.js';
import { searchPattern } from './pattern-search.js';
import type { RankedTool } from './ranked-tool.js';
import type { RankerPanel } from './ranker-panel.js';
import { type Findings, type FoundTool, toSearchResult } from './search-answer.js';
import { readCursor, writeCursor } from './search-cursor.js';
import { toSearchDocument } from './search-document.js';
import {
  resolveSearch,
  type SearchOptions,
  type SearchPolicy,
  type SearchRequest,
  type SearchResult,
} from './search-request.js';
import { WholeNames } from './whole-names.js';

/** What a search looks through. */
export interface SearchedTools {
  /** The tools right now. What is not among them leaves no trace in hits, counts, scores or hints. */
  readonly snapshot: () => Snapshot;
  /** Those of all views together, for the rankers, which all views share. */
  readonly whole: () => Snapshot;
  readonly rankers: RankerPanel;
  readonly lifetime: Lifetime;
}

type Accepts = (name: string) => boolean;

/** How many of the best by words a ranker gets to put in order. */
const CANDIDATES = 50;
/** If the best few have less of the query than this, and not a word of it in their names, it is probably a miss. */
const WEAK_COVERAGE = 0.5;
const BEST_TOOLS = 3;
/** One common word of a sentence, which may well stand in a name. */
const NEXT_TO_NOTHING = 0.1;
const JUDGED_TOOLS = 10;
const UNJUDGED = { score: 0, coverage: 0, matched: [] } as const;

/** The tool search of one view. Its index is made by the first search by words, and then follows what changes. */
export class LiveSearch {
  readonly #tools: SearchedTools;
  /** Tells cursors of this view from those of others and of earlier processes. Nothing secret hangs on it. */
  readonly #id = Math.random().toString(36).slice(2, 10);
  readonly #index = new KeywordIndex();
  readonly #names = new WholeNames();
  #indexed: ReadonlyMap<string, ToolEntry> = new Map();
  #content: { readonly entries: ReadonlyMap<string, ToolEntry>; readonly revision: number } | undefined;

  constructor(tools: SearchedTools) {
    this.#tools = tools;
  }

  async search(request: SearchRequest, { signal }: SearchOptions = {}): Promise<SearchResult> {
    const throwIfOver = () => {
      this.#tools.lifetime.throwIfOver();
      signal?.throwIfAborted();
    };
    throwIfOver();
    const policy = resolveSearch(request);
    if (policy.query === '' || (policy.query === '*' && !policy.useRegex)) return this.#list(policy);
    if (policy.useRegex) return this.#searchPattern(policy, throwIfOver);
    const rankings = await this.#askRankers(policy, signal);
    throwIfOver();
    return this.#searchWords(policy, rankings);
  }

  #list(policy: SearchPolicy): SearchResult {
    const snapshot = this.#tools.snapshot();
    const found = snapshot.tools.filter(isWanted(policy)).map(({ name }) => ({ ...UNJUDGED, name }));
    const page = this.#page(policy, snapshot);
    return toSearchResult({ mode: 'list', ...page.of(found, found.length) }, policy, snapshot);
  }

  async #searchPattern(policy: SearchPolicy, throwIfOver: () => void): Promise<SearchResult> {
    const snapshot = this.#tools.snapshot();
    const page = this.#page(policy, snapshot);
    const wanted = snapshot.tools.filter(isWanted(policy));
    const { matches, scanned, timedOut } = await searchPattern(policy.query, wanted, { throwIfOver });
    // How far the time reaches differs from one search to the next, so there is no place to go on from.
    if (timedOut && page.offset > 0) {
      throw new RegistryError('invalid-cursor', 'The pattern took too long this time; search again without the cursor');
    }
    const found = matches.map(
      ({ name, field, score }): FoundTool => ({ name, score, coverage: 1, matched: [{ field, terms: [] }] }),
    );
    const paged = page.of(found, found.length);
    const findings: Findings = {
      mode: 'regex',
      ...paged,
      ...(timedOut ? { truncated: true, nextCursor: undefined } : {}),
      pattern: { scanned, of: wanted.length },
    };
    return toSearchResult(findings, policy, snapshot);
  }

  #searchWords(policy: SearchPolicy, rankings: readonly Ranking[]): SearchResult {
    const snapshot = this.#sync();
    const accepts = acceptsNames(policy, snapshot);
    const exact = this.#names.find(policy.query).filter(accepts ?? isAny);
    if (exact.length > 0) return this.#searchName(policy, snapshot, exact);

    const page = this.#page(policy, snapshot, rankings);
    const depth = Math.max(page.end, rankings.length > 0 ? FUSED_DEPTH : JUDGED_TOOLS);
    const { ranked, total, unmatchedTerms } = this.#rank(policy.query, depth, accepts);
    const known = rankings.length === 0 ? rankings : rankings.map((ranking) => keepNames(ranking, accepts, snapshot));
    const fused = rankings.length === 0 ? { found: ranked, more: 0 } : this.#fuse(policy.query, ranked, known);
    const findings: Findings = {
      mode: 'keyword',
      ...page.of(fused.found, total + fused.more),
      unmatchedTerms,
      isWeak: rankings.length === 0 && isWeak(ranked),
    };
    return toSearchResult(findings, policy, snapshot);
  }

  /** Whoever gives a tool's whole name wants that tool, whatever else its words would find. */
  #searchName(policy: SearchPolicy, snapshot: Snapshot, exact: readonly string[]): SearchResult {
    const page = this.#page(policy, snapshot);
    const accepts = acceptsNames(policy, snapshot) ?? isAny;
    const isExact = new Set(exact);
    const own = this.#rank(policy.query, exact.length, (name) => isExact.has(name));
    const others = this.#rank(policy.query, page.end, (name) => !isExact.has(name) && accepts(name));
    const known = new Map(own.ranked.map((tool) => [tool.name, tool]));
    const best = Math.max(own.ranked[0]?.score ?? 0, others.ranked[0]?.score ?? 0);
    const first = exact.map(
      (name, index): FoundTool => ({
        name,
        // Above all that is only similar, and in the order of `exact`.
        score: best + 1 - index / exact.length,
        coverage: 1,
        matched: known.get(name)?.matched ?? [],
      }),
    );
    const paged = page.of([...first, ...others.ranked], exact.length + others.total);
    return toSearchResult({ mode: 'name', ...paged }, policy, snapshot);
  }

  async #askRankers(policy: SearchPolicy, signal: AbortSignal | undefined): Promise<readonly Ranking[]> {
    const { rankers, lifetime } = this.#tools;
    if (rankers.isEmpty) return [];
    rankers.sync(this.#tools.whole());
    const snapshot = this.#sync();
    const accepts = acceptsNames(policy, snapshot);
    const isVisible = (name: string) => snapshot.entries.has(name);
    // Who gives a whole name has said which tool it is.
    if (this.#names.find(policy.query).some(accepts ?? isVisible)) return [];

    const candidates = this.#rank(policy.query, CANDIDATES, accepts).ranked.flatMap(({ name }) => {
      const view = snapshot.entries.get(name)?.view;
      return view === undefined ? [] : [toSearchDocument(view)];
    });
    const ended = new AbortController();
    const onAbort = () => ended.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const lifetimeEnd = lifetime.onEnd(() => ended.abort(lifetime.reason));
    try {
      const asked = { candidates, accepts: accepts ?? isVisible, isVisible, signal: ended.signal };
      return await rankers.rank(policy.query, asked);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      lifetimeEnd[Symbol.dispose]();
    }
  }

  /** `more`: how many of them the words alone would not have found. */
  #fuse(query: string, ranked: readonly RankedTool[], rankings: readonly Ranking[]) {
    const judged = new Map<string, RankedTool>(ranked.map((tool) => [tool.name, tool]));
    const named = new Set(rankings.flatMap(({ names }) => names).filter((name) => !judged.has(name)));
    // Further down in the order by words there may be more of them.
    const also = this.#rank(query, Math.max(1, named.size), (name) => named.has(name));
    for (const tool of also.ranked) judged.set(tool.name, tool);
    const fused = fuseRankings(
      ranked.map(({ name }) => name),
      rankings,
    );
    const found = fused.map(({ name, score }): FoundTool => ({ ...(judged.get(name) ?? UNJUDGED), name, score }));
    return { found, more: named.size - also.total };
  }

  #rank(query: string, limit: number, accepts: Accepts | undefined) {
    return this.#index.rank(query, { limit, ...(accepts === undefined ? {} : { accepts }) });
  }

  /** Teaches the index what has changed since it was last asked. */
  #sync(): Snapshot {
    const snapshot = this.#tools.snapshot();
    const { removed, added } = diffDocuments(this.#indexed, snapshot.entries);
    for (const { view } of removed) {
      this.#names.remove(view);
      if (!snapshot.entries.has(view.name)) this.#index.remove(view.name);
    }
    for (const { view } of added) {
      this.#names.add(view);
      this.#index.add(toSearchDocument(view));
    }
    this.#indexed = snapshot.entries;
    return snapshot;
  }

  #page(policy: SearchPolicy, snapshot: Snapshot, rankings: readonly Ranking[] = []) {
    const { query, useRegex, server, include, limit, cursor } = policy;
    const revision = include === 'ready' ? snapshot.revision : this.#contentRevision(snapshot);
    const order = rankings.length === 0 ? '' : `-${digest(JSON.stringify(rankings))}`;
    const scope = {
      search: [query, useRegex, server ?? null, include],
      version: `${this.#id}-${revision.toString(36)}${order}`,
    };
    const offset = cursor === undefined ? 0 : readCursor(cursor, scope);
    const end = offset + limit;
    return {
      offset,
      end,
      of: (found: readonly FoundTool[], total: number) => ({
        total,
        tools: found.slice(offset, end),
        truncated: total > end,
        ...(total > end ? { nextCursor: writeCursor(end, scope) } : {}),
      }),
    };
  }

  /** The last revision that changed more than states of sources, which no order depends on. */
  #contentRevision({ entries, revision }: Snapshot): number {
    const seen = this.#content;
    if (seen?.entries === entries) return seen.revision;
    const { removed, added } = diffDocuments(seen?.entries ?? new Map(), entries);
    const isSame = seen !== undefined && removed.length + added.length === 0;
    this.#content = { entries, revision: isSame ? seen.revision : revision };
    return this.#content.revision;
  }
}

const isAny: Accepts = () => true;

function isWanted({ server, include }: SearchPolicy): (view: ToolView) => boolean {
  return (view) =>
    (server === undefined || view.server === server) &&
    (include === 'all' || view.state === 'running' || view.state === 'degraded');
}

/** `undefined` where nothing is left out, which is the faster way. */
function acceptsNames(policy: SearchPolicy, { entries }: Snapshot): Accepts | undefined {
  if (policy.server === undefined && policy.include === 'all') return undefined;
  const accepts = isWanted(policy);
  return (name) => {
    const view = entries.get(name)?.view;
    return view !== undefined && accepts(view);
  };
}

/** A ranker was asked a moment ago; meanwhile a tool may be gone. */
function keepNames({ names, weight }: Ranking, accepts: Accepts | undefined, { entries }: Snapshot): Ranking {
  return { names: names.filter((name) => entries.has(name) && (accepts?.(name) ?? true)), weight };
}

function isWeak(ranked: readonly RankedTool[]): boolean {
  const judged = ranked.slice(0, JUDGED_TOOLS);
  if (judged.length === 0) return false;
  const isUnlikely = ({ coverage, isNamed }: RankedTool) => coverage < WEAK_COVERAGE && !isNamed;
  return judged.slice(0, BEST_TOOLS).every(isUnlikely) || judged.every(({ coverage }) => coverage < NEXT_TO_NOTHING);
}
