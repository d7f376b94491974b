import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printJson, printJsonLine } from '../../src/output/print-json.js';

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

test('what is not visible is written out', () => {
  expect(printed(printJsonLine, '\u009b31m\u202e\u{e0041}')).toBe('"\\u009b31m\\u202e\\udb40\\udc41"\n');
});
