import { expect, test } from 'vitest';
import { firstSentence } from '../docs/first-sentence.mjs';

test.each([
  ['The disk is full. Make room.', 'The disk is full'],
  ['A file cannot be read: it is a directory.', 'A file cannot be read'],
  ['A link to `a.md`, version 1.2 of it.', 'A link to `a.md`, version 1.2 of it'],
  [
    'Its spec says `autoStart: false`, so no call starts it. Start it.',
    'Its spec says `autoStart: false`, so no call starts it',
  ],
  ['no sentence', ''],
])('the first sentence of "%s"', (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});
