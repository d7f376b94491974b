import { startOf } from '@x/internal/text';

const MAX_WIDTH = 80;
const MAX_LENGTH = 1_000;
const END = /(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?=\s|$)|[。！？]/i;
/** Characters that take about twice the tokens of a Latin letter or more. */
const WIDE = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/;

/** The first sentence on one line, cut to the width of 80 Latin letters. */
export function firstSentence(text: string): string {
  const [paragraph = ''] = startOf(text, MAX_LENGTH)
    .trim()
    .split(/\n\s*\n/, 1);
  const line = paragraph.replace(/\s+/g, ' ');
  const end = END.exec(line);
  const sentence = end === null ? line : line.slice(0, end.index + 1);
  let width = 0;
  let length = 0;
  for (const character of sentence) {
    width += WIDE.test(character) ? 2 : 1;
    if (width > MAX_WIDTH) return `${sentence.slice(0, length).replace(/[\s,;:]*(?:\s\S*)?$/, '')}…`;
    length += character.length;
  }
  return sentence;
}
