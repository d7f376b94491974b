import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPairs, typedArguments } from '../../src/command-line/call-arguments.js';

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
  },
  $defs: { count: { type: 'integer' } },
};

const typed = (...words: string[]) => typedArguments(readPairs(words), schema);

test.each([
  ['path=README.md', { path: 'README.md' }],
  ['path=5', { path: '5' }],
  ['path="quoted"', { path: '"quoted"' }],
  ['path=', { path: '' }],
  ['path=a=b', { path: 'a=b' }],
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
  ['maybe=null', { maybe: null }],
  ['maybe=none', { maybe: 'none' }],
  ['level=high', { level: 'high' }],
  ['known=7', { known: 7 }],
  ['free=5', { free: 5 }],
  ['free=text', { free: 'text' }],
  ['unlisted=true', { unlisted: true }],
  ['path:=5', { path: 5 }],
  ['__proto__=1', JSON.parse('{"__proto__":1}')],
])('%s is %j', (word, expected) => {
  expect(typed(word)).toEqual(expected);
});

test('a repeated key becomes a list where the schema allows one', () => {
  expect(typed('tags=a', 'numbers=1', 'tags=b')).toEqual({ tags: ['a', 'b'], numbers: [1] });
});

describe('wrong usage lists the accepted forms', () => {
  test.each([
    [['limit=many'], 'The argument "limit" must be integer, not "many".'],
    [['limit=1.5'], 'must be integer'],
    [['deep=yes'], 'must be boolean'],
    [['numbers=x'], 'must be integer'],
    [['where=x'], 'must be object'],
    [['path:=x'], 'must be JSON'],
    [['path=a', 'path=b'], 'is given 2 times'],
    [['path'], 'must have the form key=value'],
    [['=x'], 'must have the form key=value'],
  ])('%j', (words, message) => {
    expect(() => typed(...words)).toThrow(message);
  });

  test('suggests the nearest key for an unknown one', () => {
    const strict = { ...schema, additionalProperties: false };
    expect(() => typedArguments(readPairs(['pth=x']), strict)).toThrow(
      expect.objectContaining({ exitCode: 2, hint: expect.stringContaining('Did you mean "path"?') }),
    );
  });
});

test('accepts recursive and invalid schemas', () => {
  for (const broken of [
    { $ref: '#/properties/x' },
    { $ref: '#/nowhere' },
    { anyOf: [{ $ref: '#/properties/x' }] },
    5,
  ]) {
    expect(typedArguments(readPairs(['x=5']), { properties: { x: broken } })).toEqual({ x: 5 });
  }
});

test('passes any string through unchanged', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(typed(`path=${text}`)).toEqual({ path: text });
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
