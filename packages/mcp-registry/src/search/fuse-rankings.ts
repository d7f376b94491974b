import { compareText } from '@x/internal/text';

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
