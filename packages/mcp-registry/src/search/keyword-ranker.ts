import type { KeywordIndex } from './keyword-index.js';
import { type Concept, readQuery } from './keyword-query.js';
import type { RankedTool, Ranker } from './ranker.js';
import { actionOf } from './words.js';

const SATURATION = 1.2;
const NAME_SHARE = 0.4;
const COVERAGE_SHARE = 0.3;
const OTHER_ACTION = 0.8;

export function createKeywordRanker(index: KeywordIndex): Ranker {
  return { rank: (query) => rank(index, query) };
}

/**
 * Orders tools by how well they answer a query: BM25F over their fields, times how much of the tool's name the query
 * says, times how much of the query the tool has, less if the two name different actions (get, create, delete …).
 */
export function rank(index: KeywordIndex, query: string): readonly RankedTool[] {
  const { concepts, words } = readQuery(query, index.postings);
  const action = actionOf(words);
  const said = new Set(concepts.flatMap(({ alternatives }) => alternatives.map(({ word }) => word)));
  const sums = sumConcepts(index, concepts);

  const ranked: RankedTool[] = [];
  for (const [place, tool] of index.tools.entries()) {
    const sum = sums.scores[place] ?? 0;
    if (sum === 0 || sums.meaning[place] === 0) continue;
    const coverage = Math.min(1, (sums.covered[place] ?? 0) / sums.whole);
    const nameWords = Array.from(tool.nameWords);
    const nameShare = nameWords.filter((word) => said.has(word)).length / Math.max(1, nameWords.length);
    const toolAction = action === undefined ? undefined : actionOf(nameWords);
    const isOtherAction = toolAction !== undefined && toolAction !== action;
    const score =
      sum *
      (1 + NAME_SHARE * nameShare) *
      (1 - COVERAGE_SHARE + COVERAGE_SHARE * coverage) *
      (isOtherAction ? OTHER_ACTION : 1);
    ranked.push({ name: tool.name, score });
  }
  // The sort is stable and the tools come in the order of their names, so equal scores keep that order.
  return ranked.sort((left, right) => right.score - left.score);
}

/** For every tool: its score, how much of the query it has, and how much of that means something. */
function sumConcepts({ tools, postings }: KeywordIndex, concepts: readonly Concept[]) {
  const scores = new Float64Array(tools.length);
  const covered = new Float64Array(tools.length);
  const meaning = new Float64Array(tools.length);
  const best = new Float64Array(tools.length);
  const bestFactor = new Float64Array(tools.length);
  const hasMeaning = concepts.some(({ isStopWord }) => !isStopWord);
  let whole = 0;

  for (const { alternatives, weight, isStopWord, isCompound } of concepts) {
    best.fill(0);
    bestFactor.fill(0);
    let rarest = 0;
    for (const { word, factor } of alternatives) {
      const posting = postings.get(word);
      const rarity = rarityOf(posting?.places.length ?? 0, tools.length);
      if (factor === 1 || rarest === 0) rarest = rarity;
      for (let at = 0; posting !== undefined && at < posting.places.length; at++) {
        const place = posting.places[at] ?? 0;
        const wordWeight = posting.weights[at] ?? 0;
        const score = (factor * rarity * wordWeight * (SATURATION + 1)) / (SATURATION + wordWeight);
        if (score > (best[place] ?? 0)) best[place] = score;
        if (factor > (bestFactor[place] ?? 0)) bestFactor[place] = factor;
      }
    }
    if (!isCompound) whole += weight * rarest;
    for (let place = 0; place < tools.length; place++) {
      const score = best[place] ?? 0;
      if (score === 0) continue;
      scores[place] = (scores[place] ?? 0) + weight * score;
      if (!isCompound) covered[place] = (covered[place] ?? 0) + weight * rarest * (bestFactor[place] ?? 0);
      if (!isStopWord || !hasMeaning) meaning[place] = 1;
    }
  }
  return { scores, covered, meaning, whole: whole || 1 };
}

function rarityOf(found: number, tools: number): number {
  return Math.log(1 + (tools - found + 0.5) / (found + 0.5));
}
