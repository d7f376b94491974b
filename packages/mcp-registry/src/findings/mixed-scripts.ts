import type { FindingDraft } from './finding-draft.js';
import { plainLetters } from './name-skeleton.js';
import type { ToolText } from './tool-texts.js';

const WORD = /[\p{L}\p{M}]{3,}/gu;
const LATIN = /\p{Script=Latin}/u;
const TWINS = /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}/u;

/** The first Latin word with look-alike letters of other scripts, which searches and rules do not match. */
export function findMixedScripts({ field, text, excerpt }: ToolText): readonly FindingDraft[] {
  if (field === 'name' || !TWINS.test(text)) return [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const plain = plainLetters(word);
    if (!LATIN.test(word) || !TWINS.test(word) || !/^[A-Za-z]+$/.test(plain)) continue;
    const what = `a word with letters of several scripts, which reads as "${plain.slice(0, 100)}"`;
    return [{ code: 'mixed-scripts', severity: 'high', field, what, at: index, excerpt: excerpt(index) }];
  }
  return [];
}
