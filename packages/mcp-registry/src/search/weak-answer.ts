import type { RankedTool } from './ranked-tool.js';
import { rarityOf } from './sought-words.js';

/** Thresholds below which the best hit is probably wrong, as shares of the information value of an unknown word. */
const LEAST_STRENGTH = 0.5;
/** The subject of the query stands in the tool's own name, which is seldom a coincidence. */
const LEAST_NAMED_STRENGTH = 0.2;

/**
 * True if the best hit is probably not the intended tool: it has few words of the query, or only in fields of low
 * weight.
 *
 * @param tools - Number of tools.
 */
export function isWeak(best: RankedTool | undefined, tools: number): boolean {
  if (best === undefined) return false;
  const strength = (best.score / rarityOf(1, tools)) * best.coverage;
  return strength < (best.isNamed ? LEAST_NAMED_STRENGTH : LEAST_STRENGTH);
}
