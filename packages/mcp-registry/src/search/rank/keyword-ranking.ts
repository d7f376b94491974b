import type { Postings, WordLists } from '../index/postings.js';
import { FIELDS } from '../index/tool-words.js';
import type { Vocabulary } from '../index/vocabulary.js';
import type { TermMatch } from '../query/term-matches.js';
import { type Action, actionOf } from '../words/actions.js';

export interface IndexedTools {
  /** By document id; `undefined` for free ids. */
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
}

const NAME_SHARE = 0.4;
const COVERAGE_SHARE = 0.15;
const OTHER_ACTION = 0.8;
/** Similarity from which a word of a name counts as mentioned. */
const MIN_MENTIONED = 0.3;

/** Factor of tools that are not ranked precisely. */
const UNRANKED = { factor: (1 - COVERAGE_SHARE) * OTHER_ACTION, nameShare: 0 };

export interface Candidate {
  readonly row: number;
  readonly name: string;
  readonly score: number;
  readonly coverage: number;
  /** Share of the tool's name that the query mentions; 0 beyond the window. */
  readonly nameShare: number;
}

/**
 * Sorts the best tools. Factors of a score are the share of the tool's name in the query, the share of the query in the
 * tool, and a malus for another action (get, create, delete …).
 *
 * @param candidates - Best first. Those after the first `rerankCount` keep their order.
 */
export function rerank(
  candidates: Int32Array,
  rerankCount: number,
  scores: Float64Array,
  matchTable: MatchTable,
  termMatches: readonly TermMatch[],
  action: Action | undefined,
  tools: IndexedTools,
): readonly Candidate[] {
  const mentioned = mentionedWords(termMatches);
  const importance = Float64Array.from(termMatches, importanceOf);
  const whole = importance.reduce((sum, each) => sum + each, 0);
  const matches = Array.from(candidates, (docId, row): Candidate => {
    const coverage = whole === 0 ? 0 : Math.min(1, coveredBy(row, matchTable, importance) / whole);
    const { factor, nameShare } =
      row < rerankCount ? rerankFactor(tools.lists.nameWordsOf(docId), coverage, mentioned, action, tools) : UNRANKED;
    return { row, name: tools.names[docId] ?? '', score: (scores[docId] ?? 0) * factor, coverage, nameShare };
  });
  const close = matches.slice(0, rerankCount);
  close.sort((left, right) => right.score - left.score || (left.name < right.name ? -1 : 1));
  return [...close, ...matches.slice(rerankCount)];
}

export function toRankedTool(
  { row, name, score, coverage }: Candidate,
  { columns, fields }: MatchTable,
  termMatches: readonly TermMatch[],
): RankedTool {
  const found = termMatches.flatMap(({ term }, column) => {
    const cell = row * columns + column;
    const bits = fields[cell] ?? 0;
    if (bits === 0 || term.kind === 'filler') return [];
    return [{ text: term.text, bits }];
  });
  const matched = FIELDS.flatMap(({ field }, bit) => {
    const terms = new Set(found.filter(({ bits }) => (bits & (1 << bit)) !== 0).map(({ text }) => text));
    return terms.size === 0 ? [] : [{ field, terms: Array.from(terms) }];
  });
  return { name, score, coverage, matched };
}

function rerankFactor(
  nameWords: Int32Array,
  coverage: number,
  mentioned: ReadonlySet<number>,
  action: Action | undefined,
  { vocabulary }: IndexedTools,
): { readonly factor: number; readonly nameShare: number } {
  let mentionedCount = 0;
  let own: Action | undefined;
  for (const word of nameWords) {
    if (mentioned.has(word)) mentionedCount++;
    if (action !== undefined) own ??= actionOf(vocabulary.wordOf(word));
  }
  const nameShare = nameWords.length === 0 ? 0 : mentionedCount / nameWords.length;
  const isOther = own !== undefined && own !== action;
  const covered = 1 - COVERAGE_SHARE + COVERAGE_SHARE * coverage;
  return { factor: (1 + NAME_SHARE * nameShare) * covered * (isOther ? OTHER_ACTION : 1), nameShare };
}

export function importanceOf({ term, idf }: TermMatch): number {
  return term.kind === 'compound' ? 0 : term.weight * idf;
}

function coveredBy(row: number, { columns, similarity }: MatchTable, importance: Float64Array): number {
  let sum = 0;
  for (let column = 0; column < columns; column++) {
    sum += (importance[column] ?? 0) * (similarity[row * columns + column] ?? 0);
  }
  return sum;
}

function mentionedWords(termMatches: readonly TermMatch[]): ReadonlySet<number> {
  return new Set(
    termMatches.flatMap(({ words }) =>
      words.flatMap(({ word, similarity }) => (similarity >= MIN_MENTIONED ? [word] : [])),
    ),
  );
}

/** Matches of a few tools. Rows are tools, columns are query terms. */
export interface MatchTable {
  readonly columns: number;
  /** 0 without a match. */
  readonly similarity: Float32Array;
  readonly fields: Uint8Array;
}

/** Reads the best tools again, because storing all matches would cost more. */
export class MatchReader {
  /** Row + 1 by document id; 0 for other documents. */
  #rows = new Int32Array(0);

  read(window: Int32Array, termMatches: readonly TermMatch[], postings: Postings, idCount: number): MatchTable {
    if (this.#rows.length < idCount) this.#rows = new Int32Array(idCount + (idCount >> 2));
    const columns = termMatches.length;
    const similarity = new Float32Array(window.length * columns);
    const fields = new Uint8Array(window.length * columns);
    for (const [row, docId] of window.entries()) this.#rows[docId] = row + 1;
    for (const [column, { words }] of termMatches.entries()) {
      for (const word of words) {
        this.#readWord(word.word, word.similarity, column - columns, columns, similarity, fields, postings);
      }
    }
    for (const docId of window) this.#rows[docId] = 0;
    return { columns, similarity, fields };
  }

  #readWord(
    word: number,
    factor: number,
    shift: number,
    columns: number,
    similarity: Float32Array,
    fields: Uint8Array,
    postings: Postings,
  ): void {
    const rows = this.#rows;
    const docIds = postings.docIds;
    const start = postings.startOf(word);
    const end = start + postings.lengthOf(word);
    for (let at = start; at < end; at++) {
      const row = rows[docIds[at] ?? 0] ?? 0;
      if (row === 0) continue;
      const cell = row * columns + shift;
      if (factor > (similarity[cell] ?? 0)) similarity[cell] = factor;
      fields[cell] = (fields[cell] ?? 0) | (postings.fields[at] ?? 0);
    }
  }
}
