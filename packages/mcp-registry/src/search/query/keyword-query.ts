import { type Action, actionOf, firstActionOf } from '../words/actions.js';
import { GENERAL_WORDS, STOP_WORDS, VAGUE_WORDS } from '../words/stop-words.js';
import { relatedTo, synonymsOf } from '../words/synonyms.js';
import { type Run, splitRuns, stem } from '../words/tokenize.js';

/** A parsed query, independent of the tools. */
interface KeywordQuery {
  readonly terms: readonly QueryTerm[];
  /** The action that one of the first words names. */
  readonly action: Action | undefined;
}

export interface QueryTerm {
  readonly text: string;
  readonly word: string;
  readonly synonyms: readonly string[];
  /** Words of the same subject, for a word without synonyms. */
  readonly related: readonly string[];
  readonly weight: number;
  /** `filler` needs another match. `compound` repeats words that are terms too. */
  readonly kind: 'word' | 'filler' | 'compound';
  /** How far it names the subject, rather than the action or manner, 0 to 1. */
  readonly subjectShare: number;
  /** Other forms of the word match too. */
  readonly matchesForms: boolean;
  /** Longer words with this beginning match too. */
  readonly matchesPrefix: boolean;
  readonly matchesTypos: boolean;
}

const MAX_QUERY_LENGTH = 1_000;
const MAX_WORDS = 64;
const MAX_COMPOUNDS = 128;
/** Number of leading meaningful words that may name the action. */
const ACTION_WITHIN = 3;

const WEIGHTS = { word: 1, filler: 0.05, vague: 0.5, number: 0.3, joined: 1, neighbours: 0.7, initials: 0.5 };
const LITERAL_SHARE = 0.5;
/** Weight of git and hub in `GitHub`. */
const PART_SHARE = 0.5;
const REPEAT_SHARE = 0.2;
const GENERAL_SHARE = 0.3;

export function readQuery(query: string): KeywordQuery {
  const text = query.slice(0, MAX_QUERY_LENGTH);
  const runs = splitRuns(text);
  const words = runs.flatMap((run) => run.words);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const literalWords = literalWordsOf(text);
  const hasMeaning = words.some((word) => !STOP_WORDS.has(word));

  const terms = new Map<string, QueryTerm>();
  for (const run of runs) {
    for (const word of run.words) {
      if (terms.has(word) || terms.size === MAX_WORDS) continue;
      const isFiller = hasMeaning && STOP_WORDS.has(word);
      const isPart = run.words.length > 1;
      terms.set(
        word,
        toTerm(word, { isFiller, isPart, isLiteral: literalWords.has(word), count: counts.get(word) ?? 1 }),
      );
    }
  }
  const all = [...terms.values(), ...compoundsOf(runs, words, terms)];
  const meaning = words.filter((word) => !STOP_WORDS.has(word) && !VAGUE_WORDS.has(word));
  return { terms: all, action: firstActionOf(meaning.slice(0, ACTION_WITHIN)) };
}

function toTerm(
  word: string,
  { isFiller, isPart, isLiteral, count }: { isFiller: boolean; isPart: boolean; isLiteral: boolean; count: number },
): QueryTerm {
  const isNumber = /^\p{N}+$/u.test(word);
  const isVague = VAGUE_WORDS.has(word);
  const isAction = actionOf(word) !== undefined;
  const matchesForms = !isFiller && !isNumber && !isLiteral && !STOP_WORDS.has(word);
  const synonyms = isFiller ? [] : Array.from(synonymsOf(word));
  const weight = isFiller ? WEIGHTS.filler : isNumber ? WEIGHTS.number : isVague ? WEIGHTS.vague : WEIGHTS.word;
  const share = (isLiteral ? LITERAL_SHARE : 1) * (isPart && !isNumber ? PART_SHARE : 1);
  return {
    text: word,
    word,
    synonyms,
    related: isFiller || isVague || isPart || synonyms.length > 0 ? [] : relatedTo(word),
    weight: weight * share * (1 + REPEAT_SHARE * Math.log2(count)),
    kind: isFiller ? 'filler' : 'word',
    subjectShare:
      isFiller || isNumber || isVague || isAction || isLiteral ? 0 : GENERAL_WORDS.has(word) ? GENERAL_SHARE : 1,
    matchesForms,
    matchesPrefix: matchesForms && !isVague && !isAction,
    // Words of our own tables are spelled correctly.
    matchesTypos: matchesForms && !isVague && !isAction && synonyms.length === 0,
  };
}

/** Words that only occur in literals. */
function literalWordsOf(text: string): ReadonlySet<string> {
  const literals = literalsOf(text);
  if (literals.length === 0) return new Set();
  const others = new Set(wordsOf(withoutLiterals(text)));
  return new Set(literals.flatMap(wordsOf).filter((word) => !others.has(word)));
}

function wordsOf(text: string): readonly string[] {
  return splitRuns(text).flatMap((run) => run.words);
}

const COMPOUND = {
  synonyms: [],
  related: [],
  kind: 'compound',
  subjectShare: 0,
  matchesForms: false,
  matchesPrefix: false,
  matchesTypos: false,
} as const;

/** Adjacent words as one: `file system` as `filesystem`, `virtual machine` as `vm`, `GitHub` as `github`. */
function compoundsOf(
  runs: readonly Run[],
  words: readonly string[],
  known: ReadonlyMap<string, QueryTerm>,
): readonly QueryTerm[] {
  const compounds = new Map<string, QueryTerm>();
  const add = (word: string, text: string, weight: number) => {
    if (known.has(word) || compounds.has(word) || compounds.size === MAX_COMPOUNDS) return;
    compounds.set(word, { ...COMPOUND, text, word, weight });
  };
  for (const run of runs) if (run.words.length > 1) add(run.joined, run.joined, WEIGHTS.joined);
  for (const [index, word] of words.slice(1).entries()) {
    const first = words[index] ?? '';
    if (STOP_WORDS.has(first) || STOP_WORDS.has(word)) continue;
    add(stem(first + word), `${first} ${word}`, WEIGHTS.neighbours);
    add(`${first[0]}${word[0]}`, `${first} ${word}`, WEIGHTS.initials);
  }
  return Array.from(compounds.values());
}

/** Placeholders, quotes, addresses, paths and identifiers. Matching takes linear time. */
const LITERAL = new RegExp(
  [
    /<[^<>\n]{1,80}>/,
    /"[^"\n]{1,200}"/,
    /(?<!\w)'[^'\s][^'\n]{0,80}'(?!\w)/,
    /`[^`\n]{1,200}`/,
    /\bhttps?:\/\/[^\s<>"]{1,300}/,
    /(?<![\w/])\/[\w.-]{1,100}\/[\w./-]{1,200}/,
    /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

export function literalsOf(text: string): readonly string[] {
  return text.match(LITERAL) ?? [];
}

function withoutLiterals(text: string): string {
  return text.replace(LITERAL, ' ');
}

/** Literals become underscores; positions stay. */
export function maskLiterals(text: string): string {
  return text.replace(LITERAL, (literal) => '_'.repeat(literal.length));
}
