import type { FindingDraft } from './tool-finding.js';
import type { ToolText } from './tool-texts.js';

// Look-alikes of ASCII letters, from Unicode's list of confusables (UTS 39). Upper and lower case differ in shape.
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'аɑα',
  b: 'ЬƄ',
  c: 'сϲⅽ',
  d: 'ԁⅾ',
  e: 'еҽ℮',
  f: 'ẝꬵ',
  g: 'ɡց',
  h: 'һհ',
  i: 'іɩιıⅰ',
  j: 'јϳ',
  k: 'κкⲕ',
  l: 'ӏⅼ׀ا',
  m: 'ⅿм',
  n: 'ոռп',
  o: 'оοօσ௦०੦',
  p: 'рρ',
  q: 'ԛգ',
  r: 'гꭇⲅ',
  s: 'ѕꜱ',
  t: 'тτ',
  u: 'υսцʋ',
  v: 'νѵⅴ',
  w: 'ԝшωա',
  x: 'хⅹ',
  y: 'уүγ',
  z: 'ᴢ',
  A: 'АΑᎪ',
  B: 'ВΒᏴ',
  C: 'СϹᏟ',
  D: 'Ꭰ',
  E: 'ЕΕᎬ',
  G: 'ԌᏀ',
  H: 'НΗᎻ',
  I: 'ІΙӀ',
  J: 'ЈᎫ',
  K: 'КΚᏦ',
  L: 'Ꮮ',
  M: 'МΜᎷ',
  N: 'Ν',
  O: 'ОΟՕ',
  P: 'РΡᏢ',
  S: 'ЅᏚ',
  T: 'ТΤᎢ',
  V: 'ѴᏙ',
  W: 'ԜᎳ',
  X: 'ХΧ',
  Y: 'ҮΥ',
  Z: 'ΖᏃ',
  '-': '‐‑‒–—−ー',
  _: 'ˍ＿',
  '.': '․',
};

const BY_LETTER: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([ascii, letters]) => Array.from(letters, (letter) => [letter, ascii] as const)),
);

/** Replaces accents, widths and look-alike letters by plain letters. */
export function plainLetters(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  const decomposed = name.normalize('NFKD').replace(/\p{M}+/gu, '');
  return Array.from(decomposed, (letter) => BY_LETTER.get(letter) ?? letter).join('');
}

/** Look-alike names have the same skeleton. */
export function nameSkeleton(name: string): string {
  return plainLetters(name)
    .replace(/[Il1|]/g, 'l')
    .replace(/[O0]/g, 'o')
    .toLowerCase()
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

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
