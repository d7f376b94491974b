import { type Action, actionOf } from './actions.js';
import type { IndexedTools } from './indexed-tools.js';
import type { MatchEvidence } from './match-evidence.js';
import type { RankedTool } from './ranked-tool.js';
import { SAME_WORD, type Sought } from './sought-words.js';
import { FIELDS, NAME_BIT } from './tool-words.js';

const NAME_SHARE = 0.4;
const COVERAGE_SHARE = 0.15;
const OTHER_ACTION = 0.8;
/** Similarity from which a word of a name counts as mentioned. */
const SAID = 0.3;

/** Factor of tools that are not ranked precisely. */
const LEAST_FACTOR = (1 - COVERAGE_SHARE) * OTHER_ACTION;

interface CloseMatch {
  readonly row: number;
  readonly name: string;
  readonly score: number;
  readonly coverage: number;
}

/**
 * Sorts the best tools. Factors of a score are the share of the tool's name in the query, the share of the query in the
 * tool, and a malus for another action (get, create, delete …).
 *
 * @param candidates - Best first. Those after the first `closely` keep their order.
 */
export function orderClosely(
  candidates: Int32Array,
  closely: number,
  scores: Float64Array,
  evidence: MatchEvidence,
  sought: readonly Sought[],
  action: Action | undefined,
  tools: IndexedTools,
): readonly CloseMatch[] {
  const said = wordsSaid(sought);
  const importance = Float64Array.from(sought, importanceOf);
  const whole = importance.reduce((sum, each) => sum + each, 0);
  const matches = Array.from(candidates, (place, row): CloseMatch => {
    const coverage = whole === 0 ? 0 : Math.min(1, coveredBy(row, evidence, importance) / whole);
    const factor = row < closely ? closeFactor(tools.lists.nameOf(place), coverage, said, action, tools) : LEAST_FACTOR;
    return { row, name: tools.names[place] ?? '', score: (scores[place] ?? 0) * factor, coverage };
  });
  const close = matches.slice(0, closely);
  close.sort((left, right) => right.score - left.score || (left.name < right.name ? -1 : 1));
  return [...close, ...matches.slice(closely)];
}

export function toRankedTool(
  { row, name, score, coverage }: CloseMatch,
  { columns, likeness, fields }: MatchEvidence,
  sought: readonly Sought[],
): RankedTool {
  let isNamed = false;
  const found = sought.flatMap(({ concept }, column) => {
    const cell = row * columns + column;
    const bits = fields[cell] ?? 0;
    if (bits === 0 || concept.kind === 'filler') return [];
    if (concept.isTelling && (bits & NAME_BIT) !== 0 && (likeness[cell] ?? 0) >= SAME_WORD) isNamed = true;
    return [{ text: concept.text, bits }];
  });
  const matched = FIELDS.flatMap(({ field }, bit) => {
    const terms = new Set(found.filter(({ bits }) => (bits & (1 << bit)) !== 0).map(({ text }) => text));
    return terms.size === 0 ? [] : [{ field, terms: Array.from(terms) }];
  });
  return { name, score, coverage, matched, isNamed };
}

function closeFactor(
  nameWords: Int32Array,
  coverage: number,
  said: ReadonlySet<number>,
  action: Action | undefined,
  { vocabulary }: IndexedTools,
): number {
  let saidWords = 0;
  let own: Action | undefined;
  for (const word of nameWords) {
    if (said.has(word)) saidWords++;
    if (action !== undefined) own ??= actionOf(vocabulary.wordOf(word));
  }
  const share = nameWords.length === 0 ? 0 : saidWords / nameWords.length;
  const isOther = own !== undefined && own !== action;
  return (1 + NAME_SHARE * share) * (1 - COVERAGE_SHARE + COVERAGE_SHARE * coverage) * (isOther ? OTHER_ACTION : 1);
}

function importanceOf({ concept, rarity }: Sought): number {
  return concept.kind === 'compound' ? 0 : concept.weight * rarity;
}

function coveredBy(row: number, { columns, likeness }: MatchEvidence, importance: Float64Array): number {
  let sum = 0;
  for (let column = 0; column < columns; column++) {
    sum += (importance[column] ?? 0) * (likeness[row * columns + column] ?? 0);
  }
  return sum;
}

function wordsSaid(sought: readonly Sought[]): ReadonlySet<number> {
  return new Set(
    sought.flatMap(({ words }) => words.flatMap(({ word, likeness }) => (likeness >= SAID ? [word] : []))),
  );
}
