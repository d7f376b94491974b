import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinHidden, textParts } from '../../dashboard/src/foreign-text-parts.js';

const links = (text: string) => textParts(text).flatMap((part) => (part.type === 'link' ? [part.href] : []));

describe('foreign text', () => {
  test('is shown completely, with invisible characters spelled out', () => {
    expect(textParts('a\u202eb\u200b\ttab\n')).toEqual([
      { type: 'text', text: 'a' },
      { type: 'hidden', text: 'U+202E' },
      { type: 'text', text: 'b' },
      { type: 'hidden', text: 'U+200B' },
      { type: 'text', text: '\ttab\n' },
    ]);
  });

  test.each([
    '\u0000',
    '\u001b',
    '\u0085',
    '\u00ad',
    '\u034f',
    '\u061c',
    '\u115f',
    '\u180e',
    '\u2028',
    '\u2066',
    '\u2800',
    '\u3164',
    '\ufe0f',
    '\ufeff',
    '\u{e0041}',
    '\u{e0100}',
  ])('shows %j as a code point', (character) => {
    expect(textParts(character)).toEqual([{ type: 'hidden', text: expect.stringMatching(/^U\+[0-9A-F]{4,6}$/) }]);
  });

  test('consecutive hidden characters are one element', () => {
    const parts = joinHidden(textParts(`a${'\u202e\u200b'.repeat(2)}b\u200b`));
    expect(parts.map(({ text }) => text)).toEqual(['a', 'U+202E U+200B U+202E U+200B', 'b', 'U+200B']);
  });

  test('links web addresses, without the end of the sentence', () => {
    expect(links('see https://docs.example/page?x=1#y, or (http://docs.example).')).toEqual([
      'https://docs.example/page?x=1#y',
      'http://docs.example/',
    ]);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'https://user:secret@attacker.example/',
    'https://user@attacker.example/',
    'https://',
    '//attacker.example',
  ])('does not link %s', (text) => {
    expect(links(text)).toEqual([]);
  });

  test('loses nothing and hides nothing in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = textParts(text);
        const again = shown.map((part) =>
          part.type === 'hidden' ? String.fromCodePoint(Number.parseInt(part.text.slice(2), 16)) : part.text,
        );
        expect(again.join('')).toBe(text);
        for (const part of shown) expect(part.text).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/u);
      }),
    );
  });
});
