import type { SearchDocument } from './search-document.js';

/**
 * A further ranking of query results, such as one by embeddings. Its order is fused with that of the words, which
 * always exists: without a response of the ranker, the words decide alone.
 *
 * One object serves all views of a registry. It should judge each tool by that tool alone, as by the distance of two
 * vectors: statistics over all tools would reveal hidden ones to a role.
 */
export interface Ranker {
  /** Its name in `ranker-failed` events. */
  readonly name: string;
  /** Longest wait for one response, in milliseconds. Default 500. */
  readonly timeoutMs?: number | undefined;
  /** Weight of its order beside that by words, which has 1. Default 1. */
  readonly weight?: number | undefined;
  /**
   * Tools that are new or read differently now; they replace those of the same name. Called before a search that
   * could find them, in batches, and not waited for: `rank` may wait for its own work.
   */
  add?(documents: readonly SearchDocument[]): void | Promise<void>;
  /** Removed tools, by public name. */
  remove?(names: readonly string[]): void | Promise<void>;
  /** Public names of the matching tools, best first, without others. */
  rank(query: string, options: RankOptions): readonly string[] | Promise<readonly string[]>;
}

/** Context of a query. */
export interface RankOptions {
  /** Maximum number of names that are read, among those that the searcher may see. */
  readonly limit: number;
  /** True if the searcher may see this tool and searches its kind. Other names are dropped. */
  readonly accepts: (name: string) => boolean;
  /** The best by words, best first: all that a ranker without `add` can sort. */
  readonly candidates: readonly SearchDocument[];
  /** Aborts when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/** A failure of a ranker in one search, which continued without it. */
export interface RankerFailure {
  readonly ranker: string;
  /** `unknown-tools`: it returned tools that the searcher cannot see; they were dropped, the others counted. */
  readonly reason: 'threw' | 'timed-out' | 'invalid-answer' | 'unknown-tools';
  readonly message: string;
  /** The thrown error. */
  readonly cause?: unknown;
}

export type ResolvedRanker = Pick<Ranker, 'add' | 'remove' | 'rank'> &
  Readonly<Required<Pick<Ranker, 'name'>>> & { readonly timeoutMs: number; readonly weight: number };

/** The rankers of one registry, which all its views share. */
export interface SharedRankers {
  readonly rankers: readonly ResolvedRanker[];
  /** Receives each failure of a ranker. */
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
      throw new TypeError(`${place}.weight must be a number above 0, got ${weight}`);
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
