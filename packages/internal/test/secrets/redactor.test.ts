import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combineRedactors, createRedactor, redactorOf } from '../../src/secrets/redactor.js';
import { formsOf } from '../../src/secrets/secret-forms.js';

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

  const bytes = [...Buffer.from(secret)].map((byte) => byte.toString(16).padStart(2, '0'));
  const json = (text: string): string => JSON.stringify(text).slice(1, -1);
  test.each([
    ['in hex', bytes.join('')],
    ['in upper-case hex', bytes.join('').toUpperCase()],
    ['with each byte as a percent escape', bytes.map((byte) => `%${byte}`).join('')],
    ['with each byte as an upper-case percent escape', bytes.map((byte) => `%${byte.toUpperCase()}`).join('')],
    ['in JSON with escaped slashes', json(secret).replaceAll('/', '\\/')],
    ['in JSON in ASCII', json(secret).replace('é', '\\u00e9')],
    ['in JSON with each character escaped', [...secret].map(unicodeEscape).join('')],
    ['in JSON in JSON', json(json(secret))],
    ['in JSON in JSON in JSON', json(json(json(secret)))],
    ['in JSON in JSON with escaped slashes', json(json(secret).replaceAll('/', '\\/'))],
    ["in Python's repr", `p@ss/w+rd \\xe9"?`],
    ['in HTML', secret.replaceAll('"', '&quot;')],
    ['in HTML by numbers', [...secret].map((character) => `&#${character.charCodeAt(0)};`).join('')],
    ['decomposed', secret.normalize('NFD')],
    ['with a line break for a blank', secret.replace(' ', '\n')],
    ['with two blanks for one', secret.replace(' ', ' \t ')],
    ['with a colour within, in JSON', json(`${secret.slice(0, 5)}\u001b[0m${secret.slice(5)}`)],
  ])('hides a value %s', (_, form) => {
    expect(createRedactor([secret]).redact(`a ${form} b ${form}`)).toBe('a *** b ***');
  });

  test.each([
    ['in JSON in a query', 'p@ss/w+rd é"?', encodeURIComponent(json('p@ss/w+rd é"?'))],
    ['in a form with lower-case percent signs', 'p@ss w+rd', 'p%40ss+w%2brd'],
    ['of 3 bytes a character in a query', '€uro漢字', encodeURIComponent('€uro漢字')],
    ['of 4 bytes a character in a query', 'key🔑🦄', encodeURIComponent('key🔑🦄')],
    ['with a backslash before each character', 'sux-pasw/d', [...'sux-pasw/d'].map((c) => `\\${c}`).join('')],
    ['with a tab, in JSON with another escape', 'ab\tcd\nef', String.raw`\u0061b\tcd\nef`],
    ['with control characters, in JSON with another escape', 'ab\bc\fd\re', String.raw`\u0061b\bc\fd\re`],
    ['with markup, in HTML', `a&b<c>d'e f`, 'a&amp;b&lt;c&gt;d&apos;e&nbsp;f'],
    [
      'in HTML by hexadecimal numbers',
      'sesämé',
      [...'sesämé'].map((c) => `&#x${c.charCodeAt(0).toString(16)};`).join(''),
    ],
    ['in HTML with the last code point', 'k\u{10ffff}ey', 'k&#x10ffff;ey'],
    ['with another kind of blank', 'correct horse', 'correct\u00a0horse'],
    ['that has two blanks, with one', 'correct  horse', 'correct horse'],
    ['of four characters that has a tab, with a blank', 'a\tbc', 'a bc'],
    ['that has a tab, with a blank', 'correct\thorse', 'correct horse'],
    ['with white space around it, without', ' \n sesame \n', 'sesame'],
    ['with a control character, in hex', 'a\tbcd', '6109626364'],
    ['in base64 with two signs of padding, without', 'sesame1', Buffer.from('sesame1').toString('base64url')],
    ['in base64 with the characters 62 and 63', '>>>???>>>', Buffer.from('>>>???>>>').toString('base64')],
    [
      'in base64 for addresses with the characters 62 and 63',
      '>>>???>>>',
      Buffer.from('>>>???>>>').toString('base64url'),
    ],
  ])('hides a value %s', (_, value, form) => {
    expect(createRedactor([value]).redact(`a ${form} b ${form}`)).toBe('a *** b ***');
  });

  test('leaves a text whole that only looks as if it were encoded', () => {
    const text = `${String.raw`100%, %zz, %e9, %c0%80, %ed%a0%80, C:\users\x, \u12, &unknown; &#9999999; &#x110000; \ud800 a\\b`}\u001b[1m\n`;
    expect(createRedactor([secret, 'sesame']).redact(text)).toBe(text);
  });

  test('keeps what is beside a value, escape sequences too', () => {
    expect(createRedactor(['sesame']).redact('\u001b[31msesame\u001b[0m  end')).toBe('\u001b[31m***\u001b[0m  end');
  });

  const sentinel = Buffer.from('hunter2-sentinel');
  const pairs = sentinel.toString('hex').match(/../g) ?? [];
  test.each([
    ['an inspected buffer', `<Buffer ${pairs.join(' ')}>`],
    ['hexadecimal digits with colons', pairs.join(':')],
    ['hexadecimal literals', pairs.map((byte) => `0x${byte}`).join(', ')],
    ['the JSON of a buffer', JSON.stringify(sentinel)],
    ['the indented JSON of a buffer', JSON.stringify({ a: { b: sentinel } }, null, 2)],
    ['the JSON of an array of bytes', JSON.stringify(new Uint8Array(sentinel))],
    ['an inspected array of bytes', inspect(new Uint8Array(sentinel))],
    ['wrapped base64', sentinel.toString('base64').replace(/(.{8})/g, '$1\n')],
    ['wrapped and indented base64', sentinel.toString('base64').replace(/(.{8})/g, '$1\r\n  ')],
    ['hexadecimal digits with wide gaps', pairs.join('  ')],
    ['numbers with blanks before commas', `[${Array.from(sentinel).join(' , ')}]`],
    [
      'the entries of an array with blanks around colons',
      `{ ${Array.from(sentinel, (byte, at) => `"${at}" : ${byte}`).join(', ')} }`,
    ],
    [
      'wrapped base64 in JSON in JSON',
      JSON.stringify(JSON.stringify(sentinel.toString('base64').replace(/(.{8})/g, '$1\r\n'))),
    ],
    ['wrapped base64 in JSON', JSON.stringify(sentinel.toString('base64').replace(/(.{8})/g, '$1\n'))],
  ])('hides a value in %s', (_, text) => {
    const redacted = createRedactor(['hunter2-sentinel']).redact(`before ${text} after`);
    expect(redacted).toMatch(/^before .*\*\*\*.* after$/s);
    for (const part of [pairs[4], sentinel[4], sentinel.toString('base64').slice(4, 8)])
      expect(redacted).not.toContain(part);
  });

  test('hides the bytes of a value with a tab', () => {
    const redactor = createRedactor(['hunter2\tsentinel']);
    const bytes = Array.from(Buffer.from('hunter2\tsentinel'));
    for (const separator of [', ', ',']) expect(redactor.redact(`[${bytes.join(separator)}]`)).toBe('[***]');
  });

  test.each([
    ['two numbers, which are too few for a value', '6162', '[97, 98]'],
    ['a list with a number that is no byte', '61012c62', '[97, 1, 300, 98]'],
    ['a list with a number that is no byte, with three digits of hexadecimal', '6112c62', '[97, 300, 98, 99, 100]'],
  ])('leaves %s', (_, value, text) => {
    expect(createRedactor([value]).redact(text)).toBe(text);
  });

  test('hides a value behind lists of single digits, and nothing beside it', () => {
    const text = '1,2,3,[4][5][6][7]';
    expect(createRedactor(['sesame7']).redact(`${text} sesame7 ok`)).toBe(`${text} *** ok`);
  });

  test('joins lines of at least four characters, and no last line of one', () => {
    const redactor = createRedactor(['abcdefgh']);
    expect(redactor.redact('abcd\nefgh, abcdef\ngh')).toBe('***, ***');
    expect(redactor.redact('abc\ndefgh, abcdefg\nh')).toBe('abc\ndefgh, abcdefg\nh');
  });

  test('leaves numbers beside a value', () => {
    expect(createRedactor(['hunter2-sentinel']).redactData([7, 'hunter2-sentinel'])).toEqual([7, '***']);
  });

  test('hides the bytes of a value in data, and leaves other numbers', () => {
    const redactor = createRedactor(['hunter2-sentinel']);
    const data = {
      buffer: sentinel,
      array: new Uint8Array(sentinel),
      list: Array.from(sentinel),
      others: [104, 117, 110],
    };
    expect(redactor.redactData(data)).toEqual({
      buffer: { type: 'Buffer', data: '***' },
      array: '***',
      list: '***',
      others: [104, 117, 110],
    });
    const text = 'on 2026-11-05 at 10:20:30, 104, 117, 110 of 12 34';
    expect(redactor.redact(text)).toBe(text);
  });

  test('hides most of a value inside of longer base64, as in basic authentication', () => {
    for (const user of ['', 'a', 'ab', 'abc']) {
      const header = Buffer.from(`${user}:${'correct horse battery'}:x`).toString('base64');
      expect(createRedactor(['correct horse battery']).redact(header)).toMatch(/^[\w+/]{0,6}\*\*\*[\w+/]{0,6}=*$/);
    }
  });

  test('hides all of a value at the start of longer base64', () => {
    const text = Buffer.from('sesame7 and more').toString('base64');
    expect(createRedactor(['sesame7']).redact(text)).toBe(`***${text.slice(9)}`);
  });

  test('hides a piece of eight characters of base64, and leaves a shorter one', () => {
    const text = Buffer.from('xsesame7yz').toString('base64');
    expect(createRedactor(['sesame7']).redact(text)).toBe(`${text.slice(0, 2)}***${text.slice(10)}`);
    const shorter = Buffer.from('xsesameyz').toString('base64');
    expect(createRedactor(['sesame']).redact(shorter)).toBe(shorter);
  });

  test('hides each line of a value that has several', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n';
    expect(createRedactor([key]).redact('> 1 |   MIIEvQIBADANBg\n> 2 |   kqhkiG9w0BAQEF')).toBe(
      '> 1 |   ***\n> 2 |   ***',
    );
    expect(createRedactor([key]).redact(key)).toBe('***');
  });

  test('hides lines of eight characters or more, without the blanks around them', () => {
    expect(createRedactor(['  line one\r\n  12345678\r\n  1234567']).redact('line one|12345678|1234567')).toBe(
      '***|***|1234567',
    );
  });

  test('leaves values of less than four characters, which stand in too many texts', () => {
    expect(createRedactor(['abc', '', ' a ']).redact('abc a b')).toBe('abc a b');
    expect(createRedactor(['abc']).redact('616263 YWJj')).toBe('616263 YWJj');
    expect(createRedactor(['  a  ']).redact('x  a  x')).toBe('x  a  x');
    expect(createRedactor(['  \u200babc']).redact('abc, abcd, abc')).toBe('abc, abcd, abc');
  });

  test.each(['', 'a', 'abc', '  abc  ', '\n'])('has no form of a value of less than four characters: %j', (value) => {
    expect(formsOf(value)).toEqual([]);
  });

  test('leaves the words of a value that run together: they are another text', () => {
    expect(createRedactor(['correct horse']).redact('correcthorse')).toBe('correcthorse');
  });

  test('hides values that overlap as one', () => {
    expect(createRedactor(['abcd', 'cdef', 'fghi']).redact('-abcdefghi-')).toBe('-***-');
    expect(createRedactor(['aaaa']).redact('-aaaaaa-')).toBe('-***-');
  });

  test('hides values side by side one by one', () => {
    expect(createRedactor(['abcd', 'efgh']).redact('-abcdefgh-')).toBe('-******-');
  });

  test.each([[['abcd', 'abcdef', 'abcdefgh']], [['abcdefgh', 'abcdef', 'abcd']], [['abcdef', 'abcdefgh', 'abcd']]])(
    'hides the longest of values that begin alike: %s',
    (values) => {
      expect(createRedactor(values).redact('-abcdefgh-abcdefg-')).toBe('-***-***g-');
    },
  );

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

test('a place in a text is hidden beside the values in it', () => {
  const text = '0123456789 sesame';
  const redactor = redactorOf({
    values: ['sesame'],
    places: new Map([
      [
        text,
        [
          { start: 8, end: 13 },
          { start: 2, end: 4 },
        ],
      ],
    ]),
  });
  expect(redactor.redact(text)).toBe('01***4567***');
  expect(redactor.star(text)).toBe('01**4567*********');
  expect(redactor.redact(`${text} elsewhere`)).toBe('0123456789 *** elsewhere');
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

  test('keeps entries of equal keys apart, in any order', () => {
    const redactor = createRedactor(['sesame', 'open-up']);
    const entries = [
      ['x***', 'as it is'],
      ['xsesame', 'b'],
      ['xopen-up', 'a'],
      ['x*** (2)', 'numbered before'],
    ] as const;
    const expected = { 'x***': 'as it is', 'x*** (2)': 'numbered before', 'x*** (3)': 'a', 'x*** (4)': 'b' };
    for (const each of [entries, entries.toReversed()]) {
      expect(redactor.redactData({ deep: [Object.fromEntries(each)] })).toEqual({ deep: [expected] });
    }
    expect(redactor.redactData(expected)).toEqual(expected);
  });
});

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

describe('combined redactors', () => {
  test('hide a secret whole, also where it begins with a secret of another', () => {
    const combined = combineRedactors([createRedactor(['token-1']), createRedactor(['token-1-and-more'])]);
    expect(combined.redact('a token-1-and-more b token-1 c')).toBe('a *** b *** c');
    expect(combined.star('a token-1-and-more b')).toBe(`a ${'*'.repeat(16)} b`);
    expect(combined.redactData({ 'token-1-and-more': ['token-1'], bytes: Buffer.from('token-1') })).toEqual({
      '***': ['***'],
      bytes: { type: 'Buffer', data: '***' },
    });
  });

  test('hide a secret of several lines whole', () => {
    const combined = combineRedactors([createRedactor(['first\r\nsecret']), createRedactor(['other-one'])]);
    expect(combined.redact('a first\r\nsecret b')).toBe('a *** b');
    expect(combined.star('a first\r\nsecret b')).toBe('a *****\r\n****** b');
  });

  test('hide added values, and nothing else', () => {
    const combined = combineRedactors([createRedactor(['first*secret']), createRedactor(['second'])]).with([
      'third-one',
    ]);
    expect(combined.redact('* first*secret second third-one fourth *')).toBe('* *** *** *** fourth *');
  });
});

describe('laws of a redactor', () => {
  test('redactors combined hide what one with all their values hides', () => {
    const withoutLineEnds = values.map((secrets) => secrets.filter((secret) => !/[\r\n*]/.test(secret)));
    fc.assert(
      fc.property(withoutLineEnds, withoutLineEnds, fc.string(), (some, others, between) => {
        const text = [...some, ...others].join(between.replaceAll('*', ''));
        const combined = combineRedactors([createRedactor(some), createRedactor(others)]);
        expect(combined.star(text)).toBe(createRedactor([...some, ...others]).star(text));
      }),
    );
  });

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

  test('invisible characters between those of a value do not show it', () => {
    const visible = fc.stringMatching(/^[!-)+-~éßЖ漢]{4,30}$/);
    const number = fc.nat({ max: 255 });
    const unseen = fc.oneof(
      fc.constantFrom('\r', '\0', '\u001b', '\u009b', '\b', '\u007f', '\u00ad', '\u034f', '\u2028', '\ufffd', '\u241b'),
      fc.constantFrom('\u200b', '\u200d', '\u2060', '\ufeff', '\u202e', '\u2066', '\u2069', '\ufe0f', '\u{e0041}'),
      fc
        .tuple(fc.constantFrom('\u001b[', '\u009b'), fc.array(number), fc.constantFrom('m', 'K', 'H', ' q', '~'))
        .map(([start, numbers, end]) => `${start}${numbers.join(';')}${end}`),
      fc
        .tuple(fc.stringMatching(/^[ -~]*$/), fc.constantFrom('\u0007', '\u001b\\'))
        .map(([title, end]) => `\u001b]0;${title}${end}`),
      fc.constantFrom('\u001b(B', '\u001bc', '\u001b=', '\u001bPq#0\u001b\\', '\u0090x\u009c'),
    );
    // An escape character alone may take the visible character after it along: that one is then no part of the value.
    const isWhole = (noise: string): boolean => !noise.endsWith('\u001b') && !noise.endsWith('\u009b');
    fc.assert(
      fc.property(
        visible,
        fc.array(
          fc
            .array(unseen)
            .map((parts) => parts.join(''))
            .filter(isWhole),
        ),
        (value, noise) => {
          const text = Array.from(value, (character, at) => (at === 0 ? '' : (noise[at] ?? '')) + character).join('');
          expect(createRedactor([value]).redact(`«${text}»`)).toBe('«***»');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('an escape character alone between those of a value does not show it', () => {
    const visible = fc.stringMatching(/^[!-)+-~]{4,30}$/);
    fc.assert(
      fc.property(visible, fc.constantFrom('\u001b', '\u009b'), fc.nat(), (value, control, place) => {
        const at = 1 + (place % (value.length - 1));
        expect(createRedactor([value]).redact(`«${value.slice(0, at)}${control}${value.slice(at)}»`)).toBe('«***»');
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
