import type { RankedTool } from './ranked-tool.js';
import { rarityOf } from './sought-words.js';

/** Below these a best hit is probably none, in parts of what a word tells that no other tool has. */
const LEAST_STRENGTH = 0.5;
/** What the query is about stands in the tool's own name, which seldom happens by chance. */
const LEAST_NAMED_STRENGTH = 0.2;

/**
 * Whether the best hit is probably not what was meant: it has few of the words of the query, or has them only where
 * they say little.
 *
 * @param tools - How many there are.
 */
export function isWeak(best: RankedTool | undefined, tools: number): boolean {
  if (best === undefined) return false;
  const strength = (best.score / rarityOf(1, tools)) * best.coverage;
  return strength < (best.isNamed ? LEAST_NAMED_STRENGTH : LEAST_STRENGTH);
}
