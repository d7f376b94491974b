import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markDropped } from '../../src/secrets/readings.js';
import { createRedactor } from '../../src/secrets/redactor.js';

const r = String.raw;
const marks = (length: number): string => '■'.repeat(length);

describe('markDropped', () => {
  test.each([
    ['a zero-width space', '\u200b'],
    ['a tag character', '\u{e0041}'],
    ['half a pair of surrogates', '\ud800'],
    ['a control sequence', '\u001b[31m'],
    ['a control string', '\u001b]0;title\u0007'],
    ['an escape character and the character that it takes along', '\u001bc'],
    ['a tab, which reads as a blank', '\t'],
    ['two blanks, which read as one', '  '],
    ['line breaks with indentation', '\r\n\n   '],
    ['a blank among invisible characters', '\u200b \u200b'],
    ['a line break in JSON', r`\n`],
    ['a control character in JSON', r`\b\f\r`],
    ['a backslash before a character that needs none', r`\q`],
    ['a backslash before a line break', '\\\n'],
    ['a unicode escape without digits', r`\u`],
    ['a zero-width space in JSON', r`\u200b`],
    ['a zero-width space in JSON in JSON', r`\\u200b`],
    ['a control sequence in JSON', r`\u001b[31m`],
    ['a control string in JSON', r`\x1b]0;title\x07`],
    ['an escaped backslash before a character that needs none', r`\\q`],
    ['a backslash by number before a character that needs none', r`\u005cq`],
    ['a line break with percent escapes', '%0A'],
    ['a zero-width space with percent escapes', '%e2%80%8b'],
    ['a null character with percent escapes in percent escapes', '%2500'],
    ['a zero-width space in HTML', '&#8203;'],
    ['a zero-width space in HTML by a hexadecimal number', '&#x200B;'],
    ['a null character in HTML in HTML', '&amp;#0;'],
    ['a number in HTML with a zero before it', '&#065;'],
    ['a hexadecimal number in HTML with a zero before it', '&#x041;'],
    ['a number in HTML in HTML with a zero before it', '&amp;#065;'],
  ])('marks %s', (_, dropped) => {
    expect(markDropped(`before${dropped}after`)).toBe(`before${marks(dropped.length)}after`);
  });

  test.each([
    ['one blank', ' '],
    ['visible characters of other scripts', 'é漢😀'],
    ['a quote in JSON', r`\"`],
    ['a slash in JSON', r`\/`],
    ['a visible character in JSON by its number', r`\u0041`],
    ["a visible character in Python's repr", r`\x41`],
    ['visible characters with percent escapes', '%41%C3%A9'],
    ['a blank with a percent escape', '%20'],
    ['visible characters with percent escapes in percent escapes', '%2541'],
    ['percent signs that escape nothing', '%zz %c0%80 100%'],
    ['visible characters in HTML', '&amp;&lt;&#65;&#x41;'],
    ['a visible character in HTML in HTML', '&amp;amp;'],
    ['text in HTML that stands for no character', '&#9999999;&#x110000;&unknown;'],
  ])('leaves %s', (_, text) => {
    expect(markDropped(`before${text}after`)).toBe(`before${text}after`);
  });

  test('marks each place, also those that only one encoding has', () => {
    expect(markDropped(r`a\u200bb%00c&#0;d${'\u200b'}e\qf g`)).toBe('a■■■■■■b■■■c■■■■d■e■■f g');
  });

  test('marks what stays of an escape when invisible characters are dropped from it', () => {
    expect(markDropped('a\\\u200bqb')).toBe('a■■■b');
  });

  test.each([
    ['JSON', `${'\\'.repeat(8)}u0007`, `${'\\'.repeat(16)}u0007`],
    ['percent escapes', '%25252500', '%2525252500'],
    ['HTML', '&amp;amp;amp;#0;', '&amp;amp;amp;amp;#0;'],
  ])('reads four encodings within one another, and no fifth: %s', (_, four, five) => {
    expect(markDropped(`a${four}b`)).toBe(`a${marks(four.length)}b`);
    expect(markDropped(`a${five}b`)).toBe(`a${five}b`);
  });
});

describe('laws of marked text', () => {
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const percentEscaped = (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');
  const htmlEscaped = (text: string) => Array.from(text, (character) => `&#${character.codePointAt(0)};`).join('');
  const unicodeEscaped = (text: string) =>
    text
      .split('')
      .map((unit) => r`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'))
      .join('');
  const encoding = fc.constantFrom(
    (text: string) => text,
    unicodeEscaped,
    percentEscaped,
    htmlEscaped,
    (text: string) => json(unicodeEscaped(text)),
    (text: string) => encodeURIComponent(percentEscaped(text)),
    (text: string) => htmlEscaped(text).replaceAll('&', '&amp;'),
  );
  const dropped = fc
    .array(fc.constantFrom('\u200b', '\u{e0041}', '\u202e', '\b', '\0', '\u001b[31m', '\u001b]0;title\u0007'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((all) => all.join(''));
  const value = fc.stringMatching(/^[A-Za-z0-9]{8,20}$/);

  test('a secret with dropped characters inside is found in a text, and not in the marked text', () => {
    const property = fc.property(value, dropped, encoding, fc.nat(), (secret, noise, encode, place) => {
      const at = 1 + (place % (secret.length - 1));
      const text = `a ${secret.slice(0, at)}${encode(noise)}${secret.slice(at)} b`;
      const marked = markDropped(text);
      const redactor = createRedactor([secret]);
      expect(redactor.redact(text)).toBe('a *** b');
      expect(redactor.redact(marked)).toBe(marked);
      expect(marked).toBe(`a ${secret.slice(0, at)}${marks(encode(noise).length)}${secret.slice(at)} b`);
    });
    fc.assert(property, { numRuns: 300 });
  });

  test('the marked text of any text is as long, and differs in marks alone', () => {
    const any = fc.oneof(fc.string({ unit: 'binary' }), dropped, fc.constantFrom('\\', '%', '&', 'u200b', '#0;', '00'));
    const property = fc.property(fc.array(any), (parts) => {
      const text = parts.join('');
      const marked = markDropped(text);
      expect(marked).toHaveLength(text.length);
      expect(marked.split('').every((unit, at) => unit === '■' || unit === text[at])).toBe(true);
    });
    fc.assert(property, { numRuns: 300 });
  });

  test('a text in visible characters and single blanks stays as it is', () => {
    const words = fc.array(fc.stringMatching(/^[!-$'-[\]-~À-ÿЖ漢]+$/), { minLength: 1 });
    const property = fc.property(words, (all) => {
      expect(markDropped(all.join(' '))).toBe(all.join(' '));
    });
    fc.assert(property, { numRuns: 300 });
  });
});
