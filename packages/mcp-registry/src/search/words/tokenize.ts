/** A run of letters and digits: `readHTTPFile2` has the words read, http, file, 2. */
export interface Run {
  readonly words: readonly string[];
  /** The whole run as one word, such as github. */
  readonly joined: string;
}

export interface NameWords {
  readonly words: readonly string[];
  readonly joined: readonly string[];
}

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
// A plural acronym, an acronym, a word, a run without case, a number.
const WORD =
  /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lt}[\p{Ll}\p{M}]*|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them. These are faster for most texts.
const IS_ASCII = /^[\x00-\x7f]*$/;
const ASCII_RUN = /[A-Za-z0-9]+/g;
const PLAIN_WORD = /^[A-Z]?[a-z]+$/;
const FIRST_SPACELESS_LETTER = 0x1100;
const SPACELESS_SCRIPT = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Lm}]{3,}$/u;

/** Splits identifiers and prose at anything but letters and digits, at case edges and at digits. */
export function splitRuns(text: string): readonly Run[] {
  const runs = IS_ASCII.test(text) ? text.match(ASCII_RUN) : text.normalize('NFKC').match(RUN);
  return (runs ?? []).map(splitRun);
}

function splitRun(run: string): Run {
  if (PLAIN_WORD.test(run)) {
    const word = stem(run.toLowerCase());
    return { words: [word], joined: word };
  }
  const words = (run.match(WORD) ?? []).flatMap((word) => toWords(word.toLowerCase()));
  return { words, joined: stem(run.toLowerCase()) };
}

/** All words in order; a run of several is followed by its joined form. */
export function tokenize(text: string): readonly string[] {
  const all: string[] = [];
  for (const { words, joined } of splitRuns(text)) {
    for (const word of words) all.push(word);
    if (words.length > 1) all.push(joined);
  }
  return all;
}

/** Words of a name and joined neighbours: `filesystem` and `file system` both match `file_system`. */
export function tokenizeName(name: string): NameWords {
  const runs = splitRuns(name);
  const words = runs.flatMap((run) => run.words);
  const pairs = words.slice(1).map((word, index) => stem(`${words[index]}${word}`));
  return { words, joined: Array.from(new Set([...pairs, ...runs.map(({ joined }) => joined), stem(words.join(''))])) };
}

/** Scripts without spaces are split into pairs of letters. */
function toWords(word: string): readonly string[] {
  if (word.charCodeAt(0) < FIRST_SPACELESS_LETTER || !SPACELESS_SCRIPT.test(word)) return [stem(word)];
  const letters = Array.from(word);
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/** Words in -ie, whose plurals look like those of words in -y. */
const ENDS_IN_IE = /^(?:bird|brown|calor|collect|cook|gen|hood|ind|mov|newb|prem|rook|self|smooth|zomb)ies$/;

/** Only removes plurals, because heavier stemmers conflate words of different tools. */
export function stem(word: string): string {
  if (word.length <= 3 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies'))
    return word.length > 4 && !ENDS_IN_IE.test(word) ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  return /(?:ss|sh|ch|x|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
