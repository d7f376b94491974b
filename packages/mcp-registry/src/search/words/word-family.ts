/** Endings of related words, longest first, with the minimum number of letters before them. */
const ENDINGS: readonly (readonly [ending: string, stays: number])[] = [
  ['ization', 4],
  ['isation', 4],
  ['ation', 4],
  ['ating', 4],
  ['ement', 4],
  ['ator', 4],
  ['ated', 4],
  ['ment', 4],
  ['izer', 4],
  ['iser', 4],
  ['yzer', 4],
  ['ysis', 4],
  ['ytic', 4],
  ['ical', 5],
  ['ize', 4],
  ['ise', 4],
  ['yze', 4],
  ['yse', 4],
  ['yst', 4],
  ['ate', 4],
  ['ion', 5],
  ['ing', 3],
  ['ic', 5],
  ['er', 4],
  ['or', 4],
  ['ed', 3],
  ['e', 4],
  ['y', 5],
];

/**
 * The common stem of a word family: `translate` and `translation` share `transl`. Crude, so such matches have a low
 * weight.
 */
export function familyOf(word: string): string {
  for (const [ending, stays] of ENDINGS) {
    if (word.length - ending.length >= stays && word.endsWith(ending))
      return withoutDoubling(word.slice(0, -ending.length));
  }
  return word;
}

/** `running` comes from `run`. */
function withoutDoubling(root: string): string {
  return root.length > 3 && /([bdglmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}
