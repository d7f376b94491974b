import { MAX_WEIGHT, NAME_BIT, SERVER_BIT } from '../index/tool-words.js';
import { idfOf, SAME_WORD, type TermMatch } from '../query/term-matches.js';
import { type Candidate, importanceOf, type MatchTable } from './keyword-ranking.js';

/** Calibrated by `bench/search-no.mjs`: at most 2 % false alarms for queries that a model writes. */
const MIN_FIT = 0.4;
const NAME_SHARE = 0.4;
const MAX_MISSING = 5;

/** The verdict on the best match. */
export interface MatchVerdict {
  /** How well the best match fits; 0 without one. */
  readonly fit: number;
  /** The best match is probably not what was meant. */
  readonly isWeak: boolean;
  /** The most important words that it lacks, at most 5. */
  readonly missing: readonly string[];
}

/**
 * Judges by the share of the greatest possible score, and by how rare the words of the subject in the names of the tool
 * and its server are. Words that match only in descriptions coincide too often.
 */
export function judgeMatch(
  best: Candidate | undefined,
  { columns, similarity, fields }: MatchTable,
  termMatches: readonly TermMatch[],
  toolCount: number,
): MatchVerdict {
  if (best === undefined) return { fit: 0, isWeak: false, missing: [] };
  let whole = 0;
  let named = 0;
  const missing: { readonly text: string; readonly importance: number }[] = [];
  for (const [column, match] of termMatches.entries()) {
    const cell = best.row * columns + column;
    const importance = importanceOf(match);
    whole += importance;
    const subject = match.term.subjectShare * importance;
    const isFound = (similarity[cell] ?? 0) >= SAME_WORD;
    if (isFound && ((fields[cell] ?? 0) & (NAME_BIT | SERVER_BIT)) !== 0) named += subject;
    if (!isFound && subject > 0) missing.push({ text: match.term.text, importance: subject });
  }
  const fit =
    best.score / (whole * MAX_WEIGHT) + NAME_SHARE * Math.sqrt((named * best.nameShare) / idfOf(1, toolCount));
  missing.sort((left, right) => right.importance - left.importance);
  return { fit, isWeak: fit < MIN_FIT, missing: missing.slice(0, MAX_MISSING).map(({ text }) => text) };
}
