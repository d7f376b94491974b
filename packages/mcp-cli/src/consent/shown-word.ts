/** A word longer than this is shown with its beginning and its end. */
const mostCharacters = 4_000;

/**
 * A word of a command line as a person has to see it: quoted where it would be taken for several, with every character that a
 * terminal would act on or not show written out.
 */
export function shownWord(word: string): string {
  const text = shortened(word);
  if (/^[\w@%+=:,./~*^{}$-]+$/.test(text)) return text;
  const quoted = text.replace(/[\\"]/g, (character) => `\\${character}`).replace(unseen, escaped);
  return `"${quoted}"`;
}

/** Controls, format characters, other white space than the blank, and what has no shape of its own. */
const unseen = /(?! )[\p{C}\p{Z}\p{Mn}\p{Me}\p{Variation_Selector}\u115f\u1160\u3164\uffa0\u2800]/gu;

function escaped(character: string): string {
  const known = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[character];
  return known ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function shortened(word: string): string {
  if (word.length <= mostCharacters) return word;
  const half = mostCharacters / 2;
  return `${word.slice(0, half)} … ${word.length - mostCharacters} characters are not shown … ${word.slice(-half)}`;
}
