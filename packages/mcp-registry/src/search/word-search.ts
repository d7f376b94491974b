import { eitherSignal } from '@x/internal/async';
import type { Lifetime } from '../catalog/lifetime.js';
import type { Snapshot } from '../catalog/snapshot.js';
import type { AnswerPages } from './answer/answer-pages.js';
import {
  type AcceptsName,
  acceptsNames,
  type FoundTool,
  type RankedNeed,
  toSearchResult,
} from './answer/search-answer.js';
import { ExactNames } from './index/exact-names.js';
import { KeywordIndex } from './index/keyword-index.js';
import { toSearchDocument } from './index/search-document.js';
import { diffDocuments, type FollowedTools, SnapshotFollower } from './index/snapshot-follower.js';
import { splitNeeds } from './query/needs.js';
import type { RankedTool } from './rank/keyword-ranking.js';
import { FUSED_DEPTH, fuseRankings, type RankerPanel, type Ranking } from './rank/ranker-panel.js';
import type { SearchPolicy, SearchResult } from './search-request.js';

interface WordSearchParts {
  readonly pages: AnswerPages;
  readonly rankers: RankerPanel;
  /** The tools of all views, for the shared rankers. */
  readonly whole: () => Snapshot;
  readonly lifetime: Lifetime;
}

/** Number of best matches by words that rankers receive. */
const CANDIDATES = 50;
/** Number of best tools that serve a need. */
const SERVING = 3;
const UNRANKED = { score: 0, coverage: 0, matched: [] } as const;

export class WordSearch {
  readonly #parts: WordSearchParts;
  readonly #index = new LiveIndex();

  constructor(parts: WordSearchParts) {
    this.#parts = parts;
  }

  async search(policy: SearchPolicy, tools: FollowedTools, signal: AbortSignal | undefined): Promise<SearchResult> {
    const rankings = this.#parts.rankers.isEmpty ? [] : await this.#requestRankings(policy, tools, signal);
    return this.#index.whenCurrent(tools, (snapshot) => {
      const exact = this.#findExact(policy, snapshot);
      return exact.length > 0
        ? this.#resultForName(policy, snapshot, exact)
        : this.#resultForWords(policy, snapshot, rankings);
    });
  }

  #findExact(policy: SearchPolicy, snapshot: Snapshot): readonly string[] {
    return this.#index.names.find(policy.query).filter(acceptsNames(policy, snapshot) ?? isAny);
  }

  #resultForWords(policy: SearchPolicy, snapshot: Snapshot, rankings: readonly Ranking[]): SearchResult {
    const accepts = acceptsNames(policy, snapshot);
    const page = this.#parts.pages.page(policy, snapshot, rankings);
    const depth = Math.max(page.end, rankings.length > 0 ? FUSED_DEPTH : 0);
    const { ranked, total, unmatchedTerms, isWeak, missing } = this.#rank(policy.query, depth, accepts);
    if (rankings.length === 0) {
      const needs = this.#rankNeeds(policy.query, accepts);
      const verdict = { isWeak: needs.length > 0 ? needs.every((need) => need.isWeak) : isWeak, missing };
      const outcome = { mode: 'keyword', ...page.of(ranked, total), unmatchedTerms, ...verdict, needs } as const;
      return toSearchResult(outcome, policy, snapshot);
    }
    // Tools may have vanished since the rankers responded.
    const isStillThere = (name: string) => snapshot.entries.has(name) && (accepts?.(name) ?? true);
    const current = rankings.map(({ names, weight }) => ({ names: names.filter(isStillThere), weight }));
    const { found, more } = this.#fuse(policy.query, ranked, current);
    return toSearchResult({ mode: 'keyword', ...page.of(found, total + more), unmatchedTerms }, policy, snapshot);
  }

  /** They label the matches of all words, whose order finds as many of a task's tools as an order by needs. */
  #rankNeeds(query: string, accepts: AcceptsName | undefined): readonly RankedNeed[] {
    return splitNeeds(query).map((text) => {
      const { ranked, isWeak } = this.#rank(text, SERVING, accepts);
      return { text, isWeak: isWeak || ranked.length === 0, serving: ranked.map(({ name }) => name) };
    });
  }

  /** An exact name matches its tools before any others. */
  #resultForName(policy: SearchPolicy, snapshot: Snapshot, exact: readonly string[]): SearchResult {
    const page = this.#parts.pages.page(policy, snapshot);
    const accepts = acceptsNames(policy, snapshot) ?? isAny;
    const isExact = new Set(exact);
    const own = this.#rank(policy.query, exact.length, (name) => isExact.has(name));
    const others = this.#rank(policy.query, page.end, (name) => !isExact.has(name) && accepts(name));
    const known = new Map(own.ranked.map((tool) => [tool.name, tool]));
    const best = Math.max(own.ranked[0]?.score ?? 0, others.ranked[0]?.score ?? 0);
    const first = exact.map(
      (name, index): FoundTool => ({
        name,
        // Before similar tools, in the order of `exact`.
        score: best + 1 - index / exact.length,
        coverage: 1,
        matched: known.get(name)?.matched ?? [],
      }),
    );
    const paged = page.of([...first, ...others.ranked], exact.length + others.total);
    return toSearchResult({ mode: 'name', ...paged }, policy, snapshot);
  }

  async #requestRankings(
    policy: SearchPolicy,
    tools: FollowedTools,
    signal: AbortSignal | undefined,
  ): Promise<readonly Ranking[]> {
    const { rankers, whole, lifetime } = this.#parts;
    await rankers.follow({ ...tools, current: whole });
    const request = await this.#index.whenCurrent(tools, (snapshot) => this.#rankRequestFor(policy, snapshot));
    if (request === undefined) return [];
    const ended = eitherSignal(lifetime.signal, ...(signal === undefined ? [] : [signal]));
    try {
      return await rankers.rank(policy.query, { ...request, signal: ended.signal });
    } finally {
      ended[Symbol.dispose]();
    }
  }

  /** `undefined` for an exact name, which needs no ranking. */
  #rankRequestFor(policy: SearchPolicy, snapshot: Snapshot) {
    if (this.#findExact(policy, snapshot).length > 0) return undefined;
    const accepts = acceptsNames(policy, snapshot);
    const isVisible = (name: string) => snapshot.entries.has(name);
    const candidates = this.#rank(policy.query, CANDIDATES, accepts).ranked.flatMap(({ name }) => {
      const view = snapshot.entries.get(name)?.view;
      return view === undefined ? [] : [toSearchDocument(view)];
    });
    return { candidates, accepts: accepts ?? isVisible, isVisible };
  }

  /** `more`: number of tools that only the rankers found. */
  #fuse(query: string, ranked: readonly RankedTool[], rankings: readonly Ranking[]) {
    const known = new Map<string, RankedTool>(ranked.map((tool) => [tool.name, tool]));
    const named = new Set(rankings.flatMap(({ names }) => names).filter((name) => !known.has(name)));
    // They may also match by words, further down.
    const furtherDown = this.#rank(query, Math.max(1, named.size), (name) => named.has(name));
    for (const tool of furtherDown.ranked) known.set(tool.name, tool);
    const fused = fuseRankings(
      ranked.map(({ name }) => name),
      rankings,
    );
    const found = fused.map(({ name, score }): FoundTool => ({ ...(known.get(name) ?? UNRANKED), name, score }));
    return { found, more: named.size - furtherDown.total };
  }

  #rank(query: string, limit: number, accepts: AcceptsName | undefined) {
    return this.#index.words.rank(query, { limit, ...(accepts === undefined ? {} : { accepts }) });
  }
}

const isAny: AcceptsName = () => true;

/** Index of the tools of one view. Built by the first search, then updated. */
class LiveIndex {
  readonly words = new KeywordIndex();
  readonly names = new ExactNames();
  readonly #follower = new SnapshotFollower((before, after) => this.#update(before, after));

  /** Calls `use` while the index matches the current tools. */
  whenCurrent<T>(tools: FollowedTools, use: (snapshot: Snapshot) => T): Promise<T> {
    return this.#follower.whenCurrent(tools, use);
  }

  *#update(before: Snapshot, after: Snapshot): Generator<undefined, void> {
    const { removed, added } = diffDocuments(before, after);
    for (const { view } of removed) {
      this.names.remove(view);
      this.words.remove(view.name);
      yield;
    }
    for (const { view } of added) {
      this.names.add(view);
      this.words.add(toSearchDocument(view));
      yield;
    }
  }
}
