import type { Postings, WordLists } from '../index/postings.js';
import { FIELDS, NAME_BIT } from '../index/tool-words.js';
import type { Vocabulary } from '../index/vocabulary.js';
import { rarityOf, SAME_WORD, type Sought } from '../query/term-matches.js';
import { type Action, actionOf } from '../words/actions.js';

export interface IndexedTools {
  /** Undefined for free ids and removed tools. */
  readonly names: readonly (string | undefined)[];
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly lists: WordLists;
}

export interface RankedTool {
  readonly name: string;
  /** More than 0. Comparable within one result only. */
  readonly score: number;
  /** Matched share of the query, 0 to 1. Comparable across results. */
  readonly coverage: number;
  readonly matched: readonly { readonly field: string; readonly terms: readonly string[] }[];
  /** True if the tool's own name has a word of the query's subject. */
  readonly isNamed: boolean;
}

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

/** Matches of a few tools. Rows are tools, columns are concepts. */
interface MatchEvidence {
  readonly columns: number;
  /** 0 without a match. */
  readonly likeness: Float32Array;
  readonly fields: Uint8Array;
}

/** Reads the best tools again, because storing all matches would cost more. */
export class EvidenceReader {
  /** Row + 1 by tool; 0 for other tools. */
  #rows = new Int32Array(0);

  read(window: Int32Array, sought: readonly Sought[], postings: Postings, places: number): MatchEvidence {
    if (this.#rows.length < places) this.#rows = new Int32Array(places + (places >> 2));
    const columns = sought.length;
    const likeness = new Float32Array(window.length * columns);
    const fields = new Uint8Array(window.length * columns);
    for (const [row, place] of window.entries()) this.#rows[place] = row + 1;
    for (const [column, { words }] of sought.entries()) {
      for (const word of words) {
        this.#readWord(word.word, word.likeness, column - columns, columns, likeness, fields, postings);
      }
    }
    for (const place of window) this.#rows[place] = 0;
    return { columns, likeness, fields };
  }

  #readWord(
    word: number,
    factor: number,
    shift: number,
    columns: number,
    likeness: Float32Array,
    fields: Uint8Array,
    postings: Postings,
  ): void {
    const rows = this.#rows;
    const places = postings.places;
    const start = postings.startOf(word);
    const end = start + postings.lengthOf(word);
    for (let at = start; at < end; at++) {
      const row = rows[places[at] ?? 0] ?? 0;
      if (row === 0) continue;
      const cell = row * columns + shift;
      if (factor > (likeness[cell] ?? 0)) likeness[cell] = factor;
      fields[cell] = (fields[cell] ?? 0) | (postings.fields[at] ?? 0);
    }
  }
}
