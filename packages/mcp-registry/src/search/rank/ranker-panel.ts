import { messageOf } from '@x/internal/errors';
import { compareText } from '@x/internal/text';
import type { Snapshot } from '../../catalog/snapshot.js';
import { toSearchDocument } from '../index/search-document.js';
import { diffDocuments, type FollowedTools, SnapshotFollower } from '../index/snapshot-follower.js';
import type { RankerFailure, RankOptions, ResolvedRanker, SharedRankers } from './ranker.js';

/** Ranks beyond this one have no visible effect. */
const RANKER_LIMIT = 100;

const BATCH_SIZE = 500;

const panels = new WeakMap<SharedRankers, RankerPanel>();

/** The views of a registry share its panel, so that rankers receive each tool once. */
export function panelOf(shared: SharedRankers): RankerPanel {
  const panel = panels.get(shared) ?? new RankerPanel(shared);
  panels.set(shared, panel);
  return panel;
}

/** Responds in time, with the available rankings. */
export class RankerPanel {
  readonly #rankers: readonly ResolvedRanker[];
  readonly #report: (failure: RankerFailure) => void;
  /** Rankers that have not responded since a timeout, and are not called again before. */
  readonly #unresponsive = new Set<ResolvedRanker>();
  readonly #follower = new SnapshotFollower((before, after) => this.#sendChanges(before, after));

  constructor({ rankers, report }: SharedRankers) {
    this.#rankers = rankers;
    this.#report = report;
  }

  get isEmpty(): boolean {
    return this.#rankers.length === 0;
  }

  follow(tools: FollowedTools): Promise<void> {
    return this.#follower.whenCurrent(tools, () => undefined);
  }

  /**
   * Never rejects.
   *
   * @param options.isVisible - True if the searcher may see a tool, matching or not.
   */
  async rank(
    query: string,
    { isVisible, ...options }: Omit<RankOptions, 'limit'> & { readonly isVisible: (name: string) => boolean },
  ): Promise<readonly Ranking[]> {
    const available = this.#rankers.filter((ranker) => !this.#unresponsive.has(ranker));
    const rankings = await Promise.all(
      available.map(async (ranker): Promise<Ranking> => {
        const names = await this.#request(ranker, query, { ...options, limit: RANKER_LIMIT });
        return { names: this.#check(ranker, names, options.accepts, isVisible), weight: ranker.weight };
      }),
    );
    return rankings.filter(({ names }) => names.length > 0);
  }

  *#sendChanges(before: Snapshot, after: Snapshot): Generator<undefined, void> {
    const { removed, added } = diffDocuments(before, after);
    const gone = removed.filter(({ view }) => !after.entries.has(view.name)).map(({ view }) => view.name);
    if (gone.length > 0) {
      for (const ranker of this.#rankers) if (ranker.remove) this.#send(ranker, () => ranker.remove?.(gone));
    }
    const receivers = this.#rankers.filter(({ add }) => add !== undefined);
    for (let start = 0; receivers.length > 0 && start < added.length; start += BATCH_SIZE) {
      yield;
      const documents = added.slice(start, start + BATCH_SIZE).map(({ view }) => toSearchDocument(view));
      for (const ranker of receivers) this.#send(ranker, () => ranker.add?.(documents));
    }
  }

  #send(ranker: ResolvedRanker, send: () => void | Promise<void>): void {
    new Promise<void>((resolve) => resolve(send())).catch((cause: unknown) => this.#fail(ranker, 'threw', cause));
  }

  async #request(ranker: ResolvedRanker, query: string, options: RankOptions): Promise<unknown> {
    const ended = new AbortController();
    const onAbort = () => ended.abort(options.signal.reason);
    options.signal.addEventListener('abort', onAbort);
    let isOver = false;
    const timer = setTimeout(() => {
      this.#unresponsive.add(ranker);
      this.#fail(ranker, 'timed-out');
      ended.abort(new Error(`no answer within ${ranker.timeoutMs} milliseconds`));
    }, ranker.timeoutMs);
    const aborted = new Promise<undefined>((resolve) => {
      ended.signal.addEventListener('abort', () => {
        isOver = true;
        resolve(undefined);
      });
    });
    const response = new Promise<unknown>((resolve) =>
      resolve(ranker.rank(query, { ...options, signal: ended.signal })),
    )
      .catch((cause: unknown) => {
        // Errors after the abort are no failures.
        if (!isOver) this.#fail(ranker, 'threw', cause);
        return undefined;
      })
      .finally(() => this.#unresponsive.delete(ranker));
    try {
      return await Promise.race([response, aborted]);
    } finally {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
    }
  }

  #check(
    ranker: ResolvedRanker,
    response: unknown,
    accepts: (name: string) => boolean,
    isVisible: (name: string) => boolean,
  ): readonly string[] {
    if (response === undefined) return [];
    if (!Array.isArray(response) || !response.every((name) => typeof name === 'string')) {
      this.#fail(ranker, 'invalid-answer');
      return [];
    }
    const names = Array.from(new Set<string>(response));
    const visible = names.filter(isVisible);
    if (visible.length < names.length) this.#fail(ranker, 'unknown-tools');
    // Cut after filtering, so that hidden tools take no places.
    return visible.filter(accepts).slice(0, RANKER_LIMIT);
  }

  #fail(ranker: ResolvedRanker, reason: RankerFailure['reason'], cause?: unknown): void {
    const message = `The ranker ${JSON.stringify(ranker.name)} ${describeFailure(reason, ranker.timeoutMs, cause)}`;
    this.#report({ ranker: ranker.name, reason, message, ...(cause === undefined ? {} : { cause }) });
  }
}

function describeFailure(reason: RankerFailure['reason'], timeoutMs: number, cause: unknown): string {
  switch (reason) {
    case 'threw':
      return `failed: ${messageOf(cause)}`;
    case 'timed-out':
      return `did not answer within ${timeoutMs} milliseconds; it is not called again until it does`;
    case 'invalid-answer':
      return 'returned a value that is not a list of public names';
    case 'unknown-tools':
      return 'named tools that the searcher cannot see; they were left out';
  }
}

/** Reduces the difference between the first ranks. 60 is the published value. */
const RANK_CONSTANT = 60;
/** Ranks after this one have no effect for a ranker's names. */
export const FUSED_DEPTH = 200;

export interface Ranking {
  readonly names: readonly string[];
  readonly weight: number;
}

/**
 * Reciprocal rank fusion: a name scores `61 × weight ÷ (60 + rank)` in each list. Scores of rankers are not comparable.
 *
 * @param byWords - The list or its beginning. Beyond `FUSED_DEPTH` more of it never changes the order, so pages fit
 * together.
 */
export function fuseRankings(
  byWords: readonly string[],
  rankings: readonly Ranking[],
): readonly { readonly name: string; readonly score: number }[] {
  const scores = new Map<string, number>();
  for (const { names, weight } of rankings) {
    for (const [index, name] of names.entries()) scores.set(name, (scores.get(name) ?? 0) + weight * scoreOf(index));
  }
  for (const [index, name] of byWords.entries()) {
    const others = scores.get(name);
    if (others === undefined) scores.set(name, scoreOf(index));
    else if (index < FUSED_DEPTH) scores.set(name, others + scoreOf(index));
    else scores.set(name, Math.max(others, scoreOf(index))); // a low rank must not lower the score
  }
  return Array.from(scores, ([name, score]) => ({ name, score })).sort(
    (left, right) => right.score - left.score || compareText(left.name, right.name),
  );
}

function scoreOf(index: number): number {
  return (RANK_CONSTANT + 1) / (RANK_CONSTANT + 1 + index);
}
