/**
 * A complete word for display: quoted if it could be read as several words, with all invisible and control characters
 * escaped.
 */
export function shownWord(word: string): string {
  if (/^[\w@%+=:,./~*^{}$-]+$/.test(word)) return word;
  return `"${shownText(word.replace(/[\\"]/g, (character) => `\\${character}`))}"`;
}

/** Quoted text, such as JSON, with the same characters escaped. */
export function shownText(text: string): string {
  return text.replace(unseen, escaped).replace(manyBlanks, (blanks) => '\\u{20}'.repeat(blanks.length));
}

/** Controls, format characters, white space other than the blank, and characters without a glyph. */
const unseen = /(?! )[\p{C}\p{Z}\p{Mn}\p{Me}\p{Variation_Selector}\u115f\u1160\u3164\uffa0\u2800]/gu;

/** Enough blanks to fill a terminal row, which would make the following text look like a new row. */
const manyBlanks = / {24,}/g;

function escaped(character: string): string {
  const known = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[character];
  return known ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
