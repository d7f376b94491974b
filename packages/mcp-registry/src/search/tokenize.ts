/** A run of letters and digits, as the words it is made of: `readHTTPFile2` is read, http, file, 2. */
export interface Run {
  readonly words: readonly string[];
  /** The whole run as one word: `GitHub` is git, hub, and github too. */
  readonly joined: string;
}

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
// A plural acronym, an acronym, a word, a run in a script without case, a number.
const WORD =
  /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lt}[\p{Ll}\p{M}]*|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;
const FIRST_SPACELESS_LETTER = 0x1100;
const SPACELESS_SCRIPT = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Lm}]{3,}$/u;

/** Splits identifiers and prose alike: at anything but letters and digits, at case edges and at digits. */
export function splitRuns(text: string): readonly Run[] {
  return Array.from(text.normalize('NFKC').matchAll(RUN), ([run]) => {
    const words = Array.from(run.matchAll(WORD), ([word]) => toWords(word.toLowerCase())).flat();
    return { words, joined: stem(run.toLowerCase()) };
  });
}

/** All words of a text in order, with the joined form after each run of several. */
export function tokenize(text: string): readonly string[] {
  return splitRuns(text).flatMap(({ words, joined }) => (words.length > 1 ? [...words, joined] : words));
}

/**
 * The words of a name and each two or more neighbours joined, so that a query's `filesystem` or `file system` finds
 * `file_system` and `filesystem` alike.
 */
export function tokenizeName(name: string): { readonly words: readonly string[]; readonly joined: readonly string[] } {
  const runs = splitRuns(name);
  const words = runs.flatMap((run) => run.words);
  const pairs = words.slice(1).map((word, index) => stem(`${words[index]}${word}`));
  return { words, joined: Array.from(new Set([...pairs, ...runs.map(({ joined }) => joined), stem(words.join(''))])) };
}

/** Scripts without spaces have no words to split at; their pairs of letters serve instead. */
function toWords(word: string): readonly string[] {
  if (word.charCodeAt(0) < FIRST_SPACELESS_LETTER || !SPACELESS_SCRIPT.test(word)) return [stem(word)];
  const letters = Array.from(word);
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/** Plural to singular, and no more: heavier stemmers make different tools' words the same. */
export function stem(word: string): string {
  if (word.length <= 3 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  return /(?:ss|sh|ch|x|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
