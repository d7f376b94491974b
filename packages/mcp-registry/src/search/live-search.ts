import type { Lifetime } from '../catalog/lifetime.js';
import type { Snapshot } from '../catalog/snapshot.js';
import { RegistryError } from '../errors.js';
import { LateModule } from '../late-module.js';
import { AnswerPages } from './answer/answer-pages.js';
import { type FoundTool, isWanted, type SearchOutcome, toSearchResult } from './answer/search-answer.js';
import type { SharedRankers } from './rank/ranker.js';
import { panelOf } from './rank/ranker-panel.js';
import {
  resolveSearch,
  type SearchOptions,
  type SearchPolicy,
  type SearchRequest,
  type SearchResult,
} from './search-request.js';
import { WordSearch } from './word-search.js';

export { callSearchTool } from './call-search-tool.js';
export { textOfInstructions } from './instructions-text.js';

export const patternCode = new LateModule(() => import('./pattern-search.js'));

export interface SearchedTools {
  readonly snapshot: () => Snapshot;
  /** The tools of all views, for the shared rankers. */
  readonly whole: () => Snapshot;
  readonly rankers: SharedRankers;
  readonly lifetime: Lifetime;
}

export class LiveSearch {
  readonly #tools: SearchedTools;
  readonly #pages = new AnswerPages();
  readonly #words: WordSearch;

  constructor(tools: SearchedTools) {
    this.#tools = tools;
    this.#words = new WordSearch({ ...tools, rankers: panelOf(tools.rankers), pages: this.#pages });
  }

  async search(request: SearchRequest, { signal }: SearchOptions): Promise<SearchResult> {
    const throwIfOver = () => {
      this.#tools.lifetime.throwIfOver();
      signal?.throwIfAborted();
    };
    throwIfOver();
    const policy = resolveSearch(request);
    if (policy.query === '' || (policy.query === '*' && !policy.useRegex)) return this.#list(policy);
    if (policy.useRegex) return this.#searchPattern(policy, throwIfOver, signal);
    return this.#words.search(policy, { current: this.#tools.snapshot, throwIfOver }, signal);
  }

  #list(policy: SearchPolicy): SearchResult {
    const snapshot = this.#tools.snapshot();
    const wanted = snapshot.tools.filter(isWanted(policy));
    const found = wanted.map(({ name }): FoundTool => ({ name, score: 0, coverage: 0, matched: [] }));
    const page = this.#pages.page(policy, snapshot);
    return toSearchResult({ mode: 'list', ...page.of(found, found.length) }, policy, snapshot);
  }

  async #searchPattern(
    policy: SearchPolicy,
    throwIfOver: () => void,
    signal: AbortSignal | undefined,
  ): Promise<SearchResult> {
    const { lifetime } = this.#tools;
    const { searchPattern } = patternCode.loaded ?? (await patternCode.loadUnless({ lifetime, signal }));
    const snapshot = this.#tools.snapshot();
    const page = this.#pages.page(policy, snapshot);
    const wanted = snapshot.tools.filter(isWanted(policy));
    const { matches, scanned, timedOut, missesByCase } = await searchPattern(policy.query, wanted, { throwIfOver });
    throwIfOver();
    // Where the time runs out differs, so there is no position to continue from.
    if (timedOut && page.offset > 0) {
      throw new RegistryError('invalid-cursor', 'The pattern took too long; search again without the cursor');
    }
    const found = matches.map(
      ({ name, field, score }): FoundTool => ({ name, score, coverage: 1, matched: [{ field, terms: [] }] }),
    );
    const outcome: SearchOutcome = {
      mode: 'regex',
      ...page.of(found, found.length),
      ...(timedOut ? { truncated: true, nextCursor: undefined } : {}),
      pattern: { scanned, of: wanted.length, missesByCase },
    };
    return toSearchResult(outcome, policy, snapshot);
  }
}
