import { splitRuns, stem } from './tokenize.js';
import { STOP_WORDS, synonymsOf } from './words.js';

/** One thing that a query asks for, and every word by which a tool may name it. */
export interface Concept {
  readonly alternatives: readonly { readonly word: string; readonly factor: number }[];
  readonly weight: number;
  readonly isStopWord: boolean;
  /** Made of neighbours that are concepts of their own too, so it is a bonus and nothing that could be missed. */
  readonly isCompound: boolean;
}

interface Vocabulary {
  has(word: string): boolean;
  keys(): Iterable<string>;
}

const STOP_WORD_WEIGHT = 0.05;
const NUMBER_WEIGHT = 0.3;
const COMPOUND_WEIGHT = 0.7;
const SYNONYM_FACTOR = 0.35;
const PREFIX_FACTOR = 0.3;
const TYPO_FACTOR = 0.4;
const MAX_WORDS = 64;
const MAX_GUESSES = 20;

/** Reads a query against the words that the tools have. */
export function readQuery(query: string, vocabulary: Vocabulary) {
  const runs = splitRuns(query);
  const words = runs.flatMap((run) => run.words).slice(0, MAX_WORDS);
  const distinct = Array.from(new Set(words));
  const hasMeaning = distinct.some((word) => !STOP_WORDS.has(word));

  const concepts = distinct.map((word): Concept => {
    const isStopWord = STOP_WORDS.has(word);
    const weight = isStopWord && hasMeaning ? STOP_WORD_WEIGHT : /^\p{N}+$/u.test(word) ? NUMBER_WEIGHT : 1;
    return { alternatives: alternativesOf(word, isStopWord, vocabulary), weight, isStopWord, isCompound: false };
  });
  return { concepts: [...concepts, ...compounds(runs, words, vocabulary)], words };
}

function alternativesOf(word: string, isStopWord: boolean, vocabulary: Vocabulary): Concept['alternatives'] {
  if (isStopWord) return [{ word, factor: 1 }];
  const synonyms = Array.from(synonymsOf(word), (synonym) => ({ word: synonym, factor: SYNONYM_FACTOR }));
  const guesses = vocabulary.has(word) ? [] : guessesFor(word, vocabulary);
  return [{ word, factor: 1 }, ...synonyms, ...guesses];
}

/** For a word that no tool has: those that begin with it, and those that are one typing mistake away. */
function guessesFor(word: string, vocabulary: Vocabulary): Concept['alternatives'] {
  const guesses: { word: string; factor: number }[] = [];
  if (word.length < 3) return guesses;
  for (const known of vocabulary.keys()) {
    if (known.startsWith(word)) guesses.push({ word: known, factor: PREFIX_FACTOR });
    else if (word.length > 3 && isOneEditApart(word, known)) guesses.push({ word: known, factor: TYPO_FACTOR });
  }
  return guesses.sort((left, right) => right.factor - left.factor).slice(0, MAX_GUESSES);
}

/** Neighbours written as one word, where some tool has that word: `file system` is `filesystem` too. */
function compounds(
  runs: ReturnType<typeof splitRuns>,
  words: readonly string[],
  vocabulary: Vocabulary,
): readonly Concept[] {
  const pairs = words.slice(1).flatMap((word, index) => {
    const first = words[index] ?? '';
    return STOP_WORDS.has(first) || STOP_WORDS.has(word) ? [] : [stem(first + word)];
  });
  const wholeRuns = runs.flatMap((run) => (run.words.length > 1 ? [run.joined] : []));
  const known = Array.from(new Set([...pairs, ...wholeRuns])).filter((word) => vocabulary.has(word));
  return known.slice(0, MAX_WORDS).map((word) => ({
    alternatives: [{ word, factor: 1 }],
    weight: COMPOUND_WEIGHT,
    isStopWord: false,
    isCompound: true,
  }));
}

/** One letter more, less or other, or two neighbours swapped. */
function isOneEditApart(left: string, right: string): boolean {
  const difference = right.length - left.length;
  if (Math.abs(difference) > 1 || left === right) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  if (difference > 0) return left.slice(start) === right.slice(start + 1);
  if (difference < 0) return left.slice(start + 1) === right.slice(start);
  if (left.slice(start + 1) === right.slice(start + 1)) return true;
  return (
    left[start] === right[start + 1] &&
    left[start + 1] === right[start] &&
    left.slice(start + 2) === right.slice(start + 2)
  );
}
