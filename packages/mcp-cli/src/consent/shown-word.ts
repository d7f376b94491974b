/**
 * A word as a person has to see it, whole: in quotes where it would be taken for several words or for another one, with
 * every character that a terminal would act on or not show written out.
 */
export function shownWord(word: string): string {
  if (/^[\w@%+=:,./~*^{}$-]+$/.test(word)) return word;
  return `"${shownText(word.replace(/[\\"]/g, (character) => `\\${character}`))}"`;
}

/** Text that is quoted already, such as JSON, with the same characters written out. */
export function shownText(text: string): string {
  return text.replace(unseen, escaped).replace(manyBlanks, (blanks) => '\\u{20}'.repeat(blanks.length));
}

/** Controls, format characters, other white space than the blank, and what has no shape of its own. */
const unseen = /(?! )[\p{C}\p{Z}\p{Mn}\p{Me}\p{Variation_Selector}\u115f\u1160\u3164\uffa0\u2800]/gu;

/** Blanks that would fill a row of a terminal, or more: what follows would look like the text of another row. */
const manyBlanks = / {24,}/g;

function escaped(character: string): string {
  const known = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[character];
  return known ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
