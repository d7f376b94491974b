import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableLine } from '../../src/output/printable.js';

test('terminal escapes, hidden and reordering characters do not reach the terminal', () => {
  const hostile = 'a\u001b[2Jb\u001b]8;;http://x\u0007c\u001b]8;;\u0007\u202ed\u200be\u{e0041}f\u0000g\r\u009bh';
  expect(printable(hostile)).toMatch(/^a.*b.*c.*defgh?$/s);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that must not be there
  expect(printable(hostile)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
});

test('no control character but tab and newline remains in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that must not be there
      expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});

test('ordinary text of any language stays as it is', () => {
  const text = 'Grüße, 日本語, עברית,\tعربى — 👋\n';
  expect(printable(text)).toBe(text);
});

test('a line is folded and cut to its room', () => {
  expect(printableLine('  one\n two\t three  ', 100)).toBe('one two three');
  expect(printableLine('abcdefgh', 5)).toBe('abcd…');
});
