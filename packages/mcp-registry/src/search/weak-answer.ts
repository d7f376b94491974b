import type { RankedTool } from './ranked-tool.js';
import { rarityOf } from './sought-words.js';

/** Minimum strength, relative to an unknown word. */
const LEAST_STRENGTH = 0.5;
/** For hits with the query's subject in their own name, which is seldom a coincidence. */
const LEAST_NAMED_STRENGTH = 0.2;

/** True if the best hit has few words of the query, or only in fields of low weight. */
export function isWeak(best: RankedTool | undefined, tools: number): boolean {
  if (best === undefined) return false;
  const strength = (best.score / rarityOf(1, tools)) * best.coverage;
  return strength < (best.isNamed ? LEAST_NAMED_STRENGTH : LEAST_STRENGTH);
}
