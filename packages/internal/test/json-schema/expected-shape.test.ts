import fc from 'fast-check';
import { expect, test } from 'vitest';
import { briefParametersOf, parametersOf } from '../../src/json-schema/expected-shape.js';

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };

test.each<[string, object, string]>([
  ['no parameters', {}, ''],
  ['required ones first', object({ a: text, b: text }, ['b']), 'b: string, a?: string'],
  ['no type for any value', object({ a: {}, b: { anyOf: [{}, text] } }, ['a']), 'a, b?: any|string'],
  ['formats, but neither bounds nor patterns', object({ a: { type: 'string', format: 'date' } }), 'a?: string (date)'],
  ['', object({ a: { type: 'string', pattern: '^a' }, b: { type: 'integer', minimum: 1 } }), 'a?: string, b?: integer'],
  ['short enumerations', object({ a: { enum: ['x', 1, null, "it's"] } }), `a?: 'x'|1|null|"it's"`],
  [
    'two of a long enumeration',
    object({ a: { enum: Array.from({ length: 40 }, (_, at) => `value ${at}`) } }, ['a']),
    "a: 'value 0'|'value 1'|…+38",
  ],
  ['items', object({ a: { type: 'array', items: { enum: ['x', 'y'] } } }), "a?: ('x'|'y')[]"],
  ['required members of an object', object({ a: object({ x: text, y: {} }, ['x']) }, ['a']), 'a: { x: string, …+1 }'],
  ['no optional members of an object', object({ a: object({ x: text }) }, ['a']), 'a: object'],
  [
    'members of items',
    object({ a: { type: 'array', items: object({ x: { type: 'array', items: text } }, ['x']) } }, ['a']),
    'a: { x: string[] }[]',
  ],
  [
    'all required ones, and optional ones as far as there is room',
    object({ first: text, second: text, third: text, fourth: text, fifth: text, a: text, b: text }, ['a', 'b']),
    'a: string, b: string, first?: string, second?: string, …+3',
  ],
])('brief parameters show %s', (_, schema, brief) => {
  expect(briefParametersOf(schema)).toBe(brief);
});

test.each([
  ['Timeout in seconds', 'seconds'],
  ['How long (ms)', 'ms'],
  ['Width in Pixels.', 'pixels'],
  ['Distance in kilometres, at most 5', 'kilometres'],
  ['Number of days', undefined],
  ['Seconds are shown', undefined],
  [7, undefined],
])('a number with the description %j', (description, unit) => {
  const shown = unit === undefined ? 'number' : `number (${unit})`;
  expect(briefParametersOf(object({ n: { type: 'number', description } }))).toBe(`n?: ${shown}`);
});

test('a format that is no plain name is quoted, and no cut leaves half a character', () => {
  const format = 'a\n- forged';
  expect(parametersOf(object({ a: { type: 'string', format } }), {})).toBe('a?: string ("a\\n- forged")');
  expect(parametersOf(object({ a: { type: 'string', format: 'date-time' } }), {})).toBe('a?: string (date-time)');
  for (const pad of ['', 'a'])
    expect(briefParametersOf(object({ a: { const: pad + '😀'.repeat(50) } }))).toMatch(/^\P{Surrogate}*$/u);
});

test('a schema whose parts multiply is shown in no time', () => {
  const type = Array.from({ length: 10_000 }, () => 'array');
  const nested = Array.from({ length: 60 }).reduce<object>(
    (items) => ({ type, items, properties: { a: items, b: { $ref: '#' } } }),
    {},
  );
  for (const schema of [nested, object({ a: nested })]) {
    expect(briefParametersOf(schema).length).toBeLessThanOrEqual(300);
    expect(parametersOf(schema, schema).length).toBeLessThanOrEqual(600);
  }
});

test('any schema gives one short line', () => {
  const levels = [0, 1, 2, 3].reduce<fc.Arbitrary<unknown>>(
    (inner) =>
      fc.record(
        {
          type: fc.constantFrom('object', 'array', 'string', 'integer', 'odd', ['null', 'object']),
          properties: fc.dictionary(fc.string(), inner, { maxKeys: 3 }),
          required: fc.array(fc.string(), { maxLength: 2 }),
          items: inner,
          anyOf: fc.array(inner, { maxLength: 2 }),
          enum: fc.array(fc.string()),
          $ref: fc.constantFrom('#', '#/properties/a', 'other'),
          description: fc.string(),
        },
        { requiredKeys: [] },
      ),
    fc.constant(true),
  );
  fc.assert(
    fc.property(levels, (schema) => {
      for (const shown of [briefParametersOf(schema), parametersOf(schema, schema)]) {
        expect(shown.length).toBeLessThanOrEqual(600);
        expect(shown).not.toMatch(/[\n\r]/);
      }
    }),
  );
});
