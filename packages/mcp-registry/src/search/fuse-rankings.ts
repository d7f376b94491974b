import { compareText } from '@x/internal/text';

/**
 * Softens the difference between the first places. 60 is the value of the original publication; results are not
 * sensitive to it.
 */
const RANK_CONSTANT = 60;
/** Places after this one have no effect for a ranker's names. */
export const FUSED_DEPTH = 200;

/** Names in order, and the weight of that order. */
export interface Ranking {
  readonly names: readonly string[];
  readonly weight: number;
}

/**
 * Reciprocal rank fusion: each list gives a name `61 × weight ÷ (60 + its place)`, so the first name of the words'
 * list gets 1. Only places count, because scores of different rankers are not comparable.
 *
 * @param byWords - At least its beginning. With more of it the order stays the same and only grows, if it is longer
 * than `FUSED_DEPTH`: otherwise a second page could repeat or skip names of the first one.
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
    else scores.set(name, Math.max(others, scoreOf(index))); // a weak opinion must not lower it
  }
  return Array.from(scores, ([name, score]) => ({ name, score })).sort(
    (left, right) => right.score - left.score || compareText(left.name, right.name),
  );
}

function scoreOf(index: number): number {
  return (RANK_CONSTANT + 1) / (RANK_CONSTANT + 1 + index);
}
