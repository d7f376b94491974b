import { expect, test } from 'vitest';
import { argumentCandidates, argumentsIn } from '../../src/completion/known-arguments.js';

const known = argumentsIn({
  type: 'object',
  properties: {
    deep: { type: 'boolean' },
    path: { type: 'string', description: 'File to read' },
    level: { enum: ['low', 2, null, { a: 1 }] },
    levels: { type: 'array', items: { $ref: '#/$defs/level' } },
    either: { anyOf: [{ const: 'auto' }, { type: 'integer' }] },
    wrong: 5,
  },
  required: ['path', 7],
  $defs: { level: { enum: ['low', 'high'] } },
});

test('required arguments come first, with their types', () => {
  expect(known.map(({ name, about }) => [name, about])).toEqual([
    ['path', 'string, required, File to read'],
    ['deep', 'boolean'],
    ['level', 'string or integer or null or object'],
    ['levels', 'array'],
    ['either', 'string or integer'],
    ['wrong', ''],
  ]);
});

const values = (request: Partial<Parameters<typeof argumentCandidates>[1]>): readonly string[] =>
  argumentCandidates(known, { tool: 'a.b', given: [], isOption: false, ...request }).map(({ value }) => value);

test('names are offered until they are given, lists always', () => {
  const given = ['path=x', '--deep', 'level:low', 'levels=low'];
  expect(values({ given })).toEqual(['levels=', 'either=', 'wrong=']);
  expect(values({ given, isOption: true })).toEqual(['--levels', '--either', '--wrong']);
});

test.each([
  ['level', ['low', '2']],
  ['levels', ['low', 'high']],
  ['deep', ['true', 'false']],
  ['either', ['auto']],
  ['path', []],
  ['nosuch', []],
])('the values of %s are %j', (key, expected) => {
  expect(values({ key })).toEqual(expected);
});

test.each([{}, { properties: 5 }, { properties: { a: { $ref: '#/properties/a' } } }])('%j does no harm', (schema) => {
  expect(() => argumentsIn(schema)).not.toThrow();
});
