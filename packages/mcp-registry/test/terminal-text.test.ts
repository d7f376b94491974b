import { HIDDEN_CHARACTER, quote } from '@x/internal/text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toTerminalText } from '../src/terminal-text.js';

describe('text for a terminal', () => {
  test.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['clearing the screen', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['a reset', 'a\u001bcb', 'ab'],
    ['a window title', 'a\u001b]0;title\u0007b', 'ab'],
    ['a hyperlink', '\u001b]8;;https://a.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['a device string', 'a\u001bPq#0\u001b\\b', 'ab'],
    ['sequences that begin with one byte', 'a\u009b31mb\u009d0;t\u009cc', 'abc'],
    ['a sequence that never ends', 'a\u001b]0;title', 'a]0;title'],
    ['a sequence that appears when another is taken out', '\u001b\u001b[0m[31mred', '[31mred'],
    ['bell and backspace', 'rm\u0007\u0008\u0008ls', 'rmls'],
    ['a line that writes over itself', 'safe\rrm -rf', 'safe rm -rf'],
    ['other directions', 'a\u202eb\u2066c\u200fd', 'abcd'],
    ['zero width', 'a\u200bb\u2060c\ufeffd', 'abcd'],
    ['tags', 'a\u{e0041}\u{e0042}b', 'ab'],
    ['lines', '  a\n\n\tb\u2028c  ', 'a b c'],
    ['what people write', 'naïve 日本語 😀 “quoted”', 'naïve 日本語 😀 “quoted”'],
  ])('%s', (_what, text, shown) => {
    expect(toTerminalText(text)).toBe(shown);
  });

  test('lines and tabs are kept on request', () => {
    expect(toTerminalText('a\r\n\tb\u001b[1m\n', { lines: 'keep' })).toBe('a\n\tb\n');
  });

  test('hidden and control characters never remain, and the function is idempotent', () => {
    const hidden = new RegExp(HIDDEN_CHARACTER.source, 'u');
    const part = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0',
      'm',
      ';',
      '\u009b',
      '\u009d',
      '\u0007',
      '\\',
      '\u200b',
      'x',
      '\u202e',
      '\r',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(part).map((parts) => parts.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          const shown = toTerminalText(text);
          expect(shown).not.toMatch(hidden);
          expect(toTerminalText(shown)).toBe(shown);
        },
      ),
    );
  });

  test.each(['\u001b[', '\u001b]', '\u009d', '\u001b[0', '\u001bP', '\u200b', '\r'])(
    '200 kB of %j take little time',
    (part) => {
      expect(toTerminalText(part.repeat(100_000)).length).toBeLessThan(200_001);
    },
  );
});

test('a quoted text shows what does not show', () => {
  expect(quote('a\u202e\u200b\u001b\u009b\u{e0041}"\u2028é😀')).toBe(
    '"a\\u202e\\u200b\\u001b\\u009b\\u{e0041}\\"\\u2028é😀"',
  );
});
