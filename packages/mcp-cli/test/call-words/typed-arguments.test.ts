import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { takenOptions, typedArguments } from '../../src/call-words/typed-arguments.js';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    limit: { type: 'integer' },
    ratio: { type: 'number' },
    deep: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'integer' } },
    where: { type: 'object' },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    maybe: { type: ['string', 'null'] },
    level: { enum: ['low', 'high'] },
    known: { $ref: '#/$defs/count' },
    free: {},
    maxResults: { type: 'integer' },
    per_page: { type: 'integer' },
    'a:b': { type: 'string' },
    switch: { type: ['boolean', 'string'] },
  },
  $defs: { count: { type: 'integer' } },
};

const typed = (...words: string[]) => typedArguments(words, schema, { ownOptions: ['--timeout', '--json'] });

test.each<[words: string, expected: unknown]>([
  ['path=README.md', { path: 'README.md' }],
  ['path=5', { path: '5' }],
  ['path="quoted"', { path: '"quoted"' }],
  ['path=', { path: '' }],
  ['path=a=b', { path: 'a=b' }],
  ['path=a:b', { path: 'a:b' }],
  ['path=12345678901234567890', { path: '12345678901234567890' }],
  ['limit=-3', { limit: -3 }],
  ['ratio=0.5', { ratio: 0.5 }],
  ['ratio=2', { ratio: 2 }],
  ['deep=true', { deep: true }],
  ['tags=one', { tags: ['one'] }],
  ['tags=["a","b"]', { tags: ['a', 'b'] }],
  ['numbers=4', { numbers: [4] }],
  ['where={"a":1}', { where: { a: 1 } }],
  ['either=5', { either: 5 }],
  ['either=five', { either: 'five' }],
  ['either=12345678901234567890', { either: '12345678901234567890' }],
  ['maybe=null', { maybe: null }],
  ['maybe=none', { maybe: 'none' }],
  ['level=high', { level: 'high' }],
  ['known=7', { known: 7 }],
  ['free=5', { free: 5 }],
  ['free=text', { free: 'text' }],
  ['free=12345678901234567890', { free: '12345678901234567890' }],
  ['unlisted=true', { unlisted: true }],
  ['path:=5', { path: 5 }],
  ['where:={a:1}', { where: { a: 1 } }],
  ['__proto__=1', JSON.parse('{"__proto__":1}')],

  ['path:README.md', { path: 'README.md' }],
  ['path:5', { path: '5' }],
  ['path:http://host/?a', { path: 'http://host/?a' }],
  ['limit:5', { limit: 5 }],
  ['where:{"a":1}', { where: { a: 1 } }],
  ['a:b=c', { 'a:b': 'c' }],
  ['path:x=y', { path: 'x=y' }],
  ['limit: 5', { limit: 5 }],
  ['limit: 5 path: x', { limit: 5, path: 'x' }],
  ['path: {x}', { path: '{x}' }],

  ['--path x', { path: 'x' }],
  ['--path=x', { path: 'x' }],
  ['--path= x=1', { path: '', x: 1 }],
  ['--path=a=b', { path: 'a=b' }],
  ['--path x=y', { path: 'x=y' }],
  ['--limit 5', { limit: 5 }],
  ['--limit -5', { limit: -5 }],
  ['--limit:=5', { limit: 5 }],
  ['--path -', { path: '-' }],
  ['--tags a --tags b', { tags: ['a', 'b'] }],
  ['--tags=a tags=b', { tags: ['a', 'b'] }],
  ['--deep', { deep: true }],
  ['--deep --limit 5', { deep: true, limit: 5 }],
  ['--deep path=x', { deep: true, path: 'x' }],
  ['--deep false', { deep: false }],
  ['--deep=false', { deep: false }],
  ['--no-deep', { deep: false }],
  ['--max-results 5', { maxResults: 5 }],
  ['--per-page 5', { per_page: 5 }],
  ['--switch on', { switch: 'on' }],
  ['--switch', { switch: true }],
])('%s is %j', (words, expected) => {
  expect(typed(...words.split(' '))).toEqual(expected);
});

test('a repeated key becomes a list where the schema allows one', () => {
  expect(typed('tags=a', 'numbers=1', 'tags=b')).toEqual({ tags: ['a', 'b'], numbers: [1] });
});

test('a tool that lists no argument takes any', () => {
  const open = (...words: string[]) => typedArguments(words, { type: 'object' });
  expect(open('a:2', '--b', 'x', '--c-d=true', 'e=5')).toEqual({ a: 2, b: 'x', 'c-d': true, e: 5 });
  expect(() => open('a:b=c')).toThrow('"a:b=c" has two meanings: a = "b=c" or a:b = "c".');
});

describe('wrong usage', () => {
  test.each<[words: string, message: string]>([
    ['limit=many', 'The argument "limit" must be integer, not "many".'],
    ['limit=1.5', 'must be integer'],
    ['limit=12345678901234567890', 'the number 12345678901234567890 would be rounded'],
    ['deep=yes', 'must be boolean'],
    ['numbers=x', 'must be integer'],
    ['where=x', 'must be object'],
    ['path:=x', 'The argument "path" must be JSON: "x" needs quotes.'],
    ['path=a path=b', 'is given 2 times'],
    ['path=a --path b', 'is given 2 times'],
    ['--deep --no-deep', 'is given 2 times'],
    ['nosuch:2', 'The tool has no argument "nosuch".'],
    ['https://example.com', 'The tool has no argument "https".'],
    ['--nosuch 2', 'The tool has no argument "nosuch".'],
    ['--no-path', 'The tool has no argument "no-path".'],
    ['--path', '"--path" has no value.'],
    ['path:', '"path:" has no value.'],
    ['--path --limit 5', '"--path" has no value: "--limit" follows, which is an argument itself.'],
    ['--path limit=5', '"--path" has no value: "limit=5" follows, which is an argument itself.'],
    ['path: limit=5', '"path:" has no value: "limit=5" follows, which is an argument itself.'],
    ['--path -x', '"-x" follows, which is an argument itself.'],
    ['--deep yes', 'The argument "yes" must have the form key=value.'],
  ])('%s: %s', (words, message) => {
    expect(() => typed(...words.split(' '))).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
    );
  });

  test('shows the place', () => {
    expect(() => typed('limit=5', '--path', 'limit=6')).toThrow(
      expect.objectContaining({
        details: ['limit=5 --path limit=6', '        ^'],
        hint: "If that is the value, write '--path=limit=6'.",
      }),
    );
  });

  test('suggests the nearest argument or option', () => {
    const hint = (part: string) => expect.objectContaining({ hint: expect.stringContaining(part) });
    const strict = { ...schema, additionalProperties: false };
    expect(() => typedArguments(['pth=x'], strict)).toThrow(hint('Did you mean "path"?'));
    expect(() => typed('--pth', 'x')).toThrow(hint('Did you mean "path"?'));
    expect(() => typed('--tiemout', '5')).toThrow(hint('Did you mean "--timeout"?'));
    expect(() => typed('--zzzzzzzz', '5')).toThrow(hint('Write zzzzzzzz=... to send one that it does not list.'));
  });

  test('names all arguments that an option can mean', () => {
    const both = { properties: { per_page: {}, perPage: {} } };
    expect(typedArguments(['--perPage', '5'], both)).toEqual({ perPage: 5 });
    expect(() => typedArguments(['--per-page', '5'], both)).toThrow('"--per-page" can mean "per_page" or "perPage".');
  });

  test('with two declared keys in one word is ambiguous', () => {
    const both = { properties: { a: { type: 'string' }, 'a:b': { type: 'string' } } };
    expect(() => typedArguments(['a:b=c'], both)).toThrow('has two meanings');
    expect(typedArguments(['a=b=c'], both)).toEqual({ a: 'b=c' });
  });
});

test('names the options that the tool has as arguments, too', () => {
  const declared = { properties: { timeout: {}, role: {} } };
  expect(takenOptions(['--timeout', '--json'], {}, declared)).toEqual(['--timeout']);
  expect(takenOptions(['--timeout'], { timeout: 5 }, declared)).toEqual([]);
});

test('accepts recursive and invalid schemas', () => {
  for (const broken of [
    { $ref: '#/properties/x' },
    { $ref: '#/nowhere' },
    { anyOf: [{ $ref: '#/properties/x' }] },
    5,
  ]) {
    expect(typedArguments(['x=5'], { properties: { x: broken } })).toEqual({ x: 5 });
  }
});

test.each([
  ['path=', ''],
  ['--path=', ''],
  ['path:', ' '],
])('passes any string through unchanged: %s', (before, blank) => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(before !== 'path:' || !/^=/.test(text));
      const word = `${before}${before === 'path:' && text === '' ? blank : text}`;
      expect(typed(word)).toEqual({ path: word.slice(before.length) });
    }),
  );
});

test('passes any JSON value through with :=', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(typed(`free:=${JSON.stringify(value)}`)).toEqual({ free: JSON.parse(JSON.stringify(value)) });
    }),
  );
});
