import type { SearchDocument } from '../index/search-document.js';

/**
 * A further ranking of query results, such as one by embeddings. Its order is fused with that by words; without a
 * response the words decide alone.
 *
 * All views of a registry share it. It should judge each tool alone, because statistics over all tools reveal hidden
 * ones.
 */
export interface Ranker {
  /** Name in `ranker-failed` events. */
  readonly name: string;
  /** Longest wait for a response, in milliseconds. Default 500. */
  readonly timeoutMs?: number | undefined;
  /** Weight relative to the search by words. Default 1. */
  readonly weight?: number | undefined;
  /** Adds or replaces tools. Called in batches before a search. The search does not wait for it; `rank` may. */
  add?(documents: readonly SearchDocument[]): void | Promise<void>;
  /** Removes tools, by public name. */
  remove?(names: readonly string[]): void | Promise<void>;
  /** Public names of the matching tools, best first. */
  rank(query: string, options: RankOptions): readonly string[] | Promise<readonly string[]>;
}

/** Context of a query. */
export interface RankOptions {
  /** Maximum number of names that are read. */
  readonly limit: number;
  /** True if the searcher may see the tool and the search includes it. Other names are dropped. */
  readonly accepts: (name: string) => boolean;
  /** Best matches by words, best first, for rankers without `add`. */
  readonly candidates: readonly SearchDocument[];
  /** Aborts when the response is not needed any more. */
  readonly signal: AbortSignal;
}

/** A failure of a ranker in one search. */
export interface RankerFailure {
  readonly ranker: string;
  /** `unknown-tools`: some results are hidden from the searcher; only the others count. */
  readonly reason: 'threw' | 'timed-out' | 'invalid-answer' | 'unknown-tools';
  readonly message: string;
  readonly cause?: unknown;
}

export type ResolvedRanker = Pick<Ranker, 'add' | 'remove' | 'rank'> &
  Readonly<Required<Pick<Ranker, 'name'>>> & { readonly timeoutMs: number; readonly weight: number };

export interface SharedRankers {
  readonly rankers: readonly ResolvedRanker[];
  readonly report: (failure: RankerFailure) => void;
}

const MAX_TIMEOUT_MS = 60_000;

/** @throws {TypeError} naming the invalid field. */
export function resolveRankers(rankers: readonly Ranker[]): readonly ResolvedRanker[] {
  if (!Array.isArray(rankers)) throw new TypeError('rankers must be a list of rankers { name, rank }');
  return rankers.map((ranker: Ranker, index) => {
    const place = `rankers[${index}]`;
    const { name, timeoutMs = 500, weight = 1 } = ranker ?? {};
    if (typeof name !== 'string' || name === '') throw new TypeError(`${place}.name must be a text that is not empty`);
    for (const method of ['rank', 'add', 'remove'] as const) {
      if (method !== 'rank' && ranker[method] === undefined) continue;
      if (typeof ranker[method] !== 'function') throw new TypeError(`${place}.${method} must be a function`);
    }
    if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
      throw new TypeError(`${place}.timeoutMs must be more than 0 and at most ${MAX_TIMEOUT_MS}, got ${timeoutMs}`);
    }
    if (!(weight > 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new TypeError(`${place}.weight must be more than 0, got ${weight}`);
    }
    return {
      name,
      timeoutMs,
      weight,
      rank: (...args) => ranker.rank(...args),
      ...(ranker.add && { add: (documents: readonly SearchDocument[]) => ranker.add?.(documents) }),
      ...(ranker.remove && { remove: (names: readonly string[]) => ranker.remove?.(names) }),
    };
  });
}
