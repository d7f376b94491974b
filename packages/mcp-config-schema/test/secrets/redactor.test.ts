import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/index.js';

const secret = 'p@ss/w+rd é"?';

describe('redact', () => {
  test.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in a query', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ a: secret }).toString().slice(2)],
    ['in an address', encodeURI(secret)],
    ['in lower-case percent signs', encodeURIComponent(secret).toLowerCase()],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
  ])('hides a value %s', (_, form) => {
    expect(createRedactor([secret]).redact(`a ${form} b ${form}`)).toMatch(/^a \*\*\*=* b \*\*\*=*$/);
  });

  test('hides most of a value inside of longer base64, as in basic authentication', () => {
    for (const user of ['', 'a', 'ab', 'abc']) {
      const header = Buffer.from(`${user}:${'correct horse battery'}:x`).toString('base64');
      expect(createRedactor(['correct horse battery']).redact(header)).toMatch(/^[\w+/]{0,6}\*\*\*[\w+/]{0,6}=*$/);
    }
  });

  test('hides each line of a value that has several', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n';
    expect(createRedactor([key]).redact('> 1 |   MIIEvQIBADANBg\n> 2 |   kqhkiG9w0BAQEF')).toBe(
      '> 1 |   ***\n> 2 |   ***',
    );
    expect(createRedactor([key]).redact(key)).toBe('***');
  });

  test('leaves values of less than four characters, which stand in too many texts', () => {
    expect(createRedactor(['abc', '', ' a ']).redact('abc a b')).toBe('abc a b');
  });

  test('hides values that overlap as one', () => {
    expect(createRedactor(['abcd', 'cdef', 'fghi']).redact('-abcdefghi-')).toBe('-***-');
    expect(createRedactor(['aaaa']).redact('-aaaaaa-')).toBe('-***-');
  });

  test('knows more with each value, and the one before does not', () => {
    const first = createRedactor(['first']);
    const both = first.with(['second']);
    expect(both.redact('first second')).toBe('*** ***');
    expect(first.redact('first second')).toBe('*** second');
  });

  test('takes a time that grows with the text alone where a value repeats itself', () => {
    expect(createRedactor(['aaaa']).redact('a'.repeat(1_000_000))).toBe('***');
  });

  test('takes a time that grows with the text and not with how many values there are', () => {
    const values = Array.from({ length: 20_000 }, (_, n) => `${n.toString(36).padStart(4, '0')}-sesame`);
    const redactor = createRedactor(values);
    for (const value of values) expect(redactor.redact(`open ${value}!`)).toBe('open ***!');
  });
});

test('star keeps lines and columns where they are', () => {
  expect(createRedactor(['open\r\nsesame']).star('a open\r\nsesame b')).toBe('a ****\r\n****** b');
  expect(createRedactor(['sesame', 'same-one']).star('a sesame-one b')).toBe('a ********** b');
});

describe('redactData', () => {
  test('reaches every text and key of plain data', () => {
    const data = { a: ['x sesame'], sesame: { b: 1, c: null, d: true, e: undefined }, when: new Date(0) };
    expect(createRedactor(['sesame']).redactData(data)).toEqual({
      a: ['x ***'],
      '***': { b: 1, c: null, d: true },
      when: '1970-01-01T00:00:00.000Z',
    });
    expect(createRedactor(['sesame']).redactData(undefined)).toBeUndefined();
  });
});

describe('laws of a redactor', () => {
  const values = fc.array(
    fc.string({ minLength: 4 }).filter((value) => !value.includes('*')),
    { minLength: 1 },
  );

  test('no text that it lets through holds a value', () => {
    fc.assert(
      fc.property(values, fc.array(fc.string()), (secrets, between) => {
        const text = between.flatMap((part, index) => [part, secrets[index % secrets.length] ?? '']).join('');
        const redacted = createRedactor(secrets).redact(text);
        for (const value of secrets) if (value.trim().length >= 4) expect(redacted).not.toContain(value);
      }),
    );
  });

  test('a text without a value in any form stays as it is', () => {
    const digits = fc.stringMatching(/^[0-9]{8,20}$/);
    fc.assert(
      fc.property(fc.array(digits), fc.stringMatching(/^[ .:;!?]*$/), (secrets, text) => {
        expect(createRedactor(secrets).redact(text)).toBe(text);
      }),
    );
  });

  test('nothing that prints it shows a value', () => {
    fc.assert(
      fc.property(values, (secrets) => {
        const redactor = createRedactor(secrets);
        expect(JSON.stringify({ redactor })).toBe('{"redactor":{}}');
        expect(Object.keys(redactor)).toEqual([]);
      }),
    );
  });
});
