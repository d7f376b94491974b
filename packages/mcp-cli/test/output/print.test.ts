import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, printable, printableLine, printJson, printJsonLine } from '../../src/output/print.js';

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

test('a line is folded and cut to the maximum length', () => {
  expect(printableLine('  one\n two\t three  ', 100)).toBe('one two three');
  expect(printableLine('abcdefgh', 5)).toBe('abcd…');
});

function printed(print: typeof printJson, value: unknown): string {
  let text = '';
  print(value, {
    stdout: {
      write: (part) => {
        text += part;
      },
    },
  });
  return text;
}

test('printed JSON parses to the same value and contains no control characters', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      for (const print of [printJson, printJsonLine]) {
        const text = printed(print, value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u);
      }
    }),
  );
});

test('invisible characters are escaped', () => {
  expect(printed(printJsonLine, '\u009b31m\u202e\u{e0041}')).toBe('"\\u009b31m\\u202e\\udb40\\udc41"\n');
});

test('didYouMean returns a question or an empty string', () => {
  expect(didYouMean('fils', ['files'])).toBe('Did you mean "files"? ');
  expect(didYouMean('zzz', ['files'])).toBe('');
});
