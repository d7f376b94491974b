import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headerFault } from '../src/headers.js';

const named = (name: unknown, type: unknown = 'string'): object => ({ type, 'x-mcp-header': name });
const of = (properties: object, more: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  ...more,
});

test.each([
  ['no argument that is repeated', of({ a: { type: 'object' } })],
  ['arguments of every type that can be', of({ a: named('A'), b: named('B', 'integer'), c: named('C', 'boolean') })],
  ['an argument within an argument', of({ a: of({ b: of({ c: named('Deep') }) }) })],
  ['an argument that is called so', of({ 'x-mcp-header': { type: 'string' } })],
  ['a value that looks so', of({ a: { type: 'object', default: named(''), enum: [named('')], const: named('') } })],
])('%s is no fault', (_, schema) => {
  expect(headerFault(schema)).toBeUndefined();
});

test.each([
  ['', of({ a: named('') })],
  ['My Region', of({ a: named('My Region') })],
  ['Region:Primary', of({ a: named('Region:Primary') })],
  ['Région', of({ a: named('Région') })],
  ['a\r\nb', of({ a: named('a\r\nb') })],
  [7, of({ a: named(7) })],
])('%j is no name of a header', (name, schema) => {
  expect(headerFault(schema)).toBe(
    `"a" has "x-mcp-header" with ${JSON.stringify(name)}, which cannot be part of a header's name`,
  );
});

test.each(['number', 'object', 'array', 'null', undefined, ['string', 'null']])(
  'an argument of type %j cannot be repeated',
  (type) => {
    expect(headerFault(of({ a: { type, 'x-mcp-header': 'A' } }))).toBe(
      '"a" has "x-mcp-header" and is not a string, integer or boolean',
    );
  },
);

test('two arguments cannot have the same header, however it is spelled', () => {
  expect(headerFault(of({ a: named('Region'), b: of({ c: named('REGION') }) }))).toMatch(
    /has the "x-mcp-header" "(Region|REGION)" of another one$/,
  );
});

test.each([
  ['the schema itself', { type: 'string', 'x-mcp-header': 'A' }],
  ['items', of({ a: { type: 'array', items: named('A') } })],
  ['properties of items', of({ a: { type: 'array', items: of({ b: named('A') }) } })],
  ['prefixItems', of({ a: { type: 'array', prefixItems: [named('A')] } })],
  ['additionalProperties', of({}, { additionalProperties: named('A') })],
  ['patternProperties', of({}, { patternProperties: { '^a': named('A') } })],
  ['anyOf', of({ a: { anyOf: [named('A'), { type: 'null' }] } })],
  ['if', of({}, { if: of({ a: named('A') }) })],
  ['a definition', of({ a: { $ref: '#/$defs/A' } }, { $defs: { A: named('A') } })],
])('what is under %s is no argument of its own', (_, schema) => {
  expect(headerFault(schema)).toMatch(
    / has "x-mcp-header", which only a property of the arguments themselves may have$/,
  );
});

test('a schema may be nested deeper than a stack is', () => {
  let schema: object = named('');
  for (let depth = 0; depth < 100_000; depth += 1) schema = { not: schema };
  expect(headerFault(schema as Record<string, unknown>)).toContain('its input schema has "x-mcp-header"');
});

test('checks any value that a server sends as a schema', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('properties', 'items', 'x-mcp-header', 'type'), fc.jsonValue()),
      (schema) => {
        expect(['string', 'undefined']).toContain(typeof headerFault(schema));
      },
    ),
  );
});
