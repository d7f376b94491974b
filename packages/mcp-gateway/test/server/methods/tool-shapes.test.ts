import { expect, test } from 'vitest';
import { needsWrap, wrappedSchema } from '../../../src/server/methods/tool-shapes.js';

const moved = (schema: Readonly<Record<string, unknown>>) =>
  (wrappedSchema(schema) as { properties: { result: unknown } }).properties.result;

test('wraps schemas that are not of an object', () => {
  expect([undefined, { type: 'object' }, { type: 'array' }, {}].map((schema) => needsWrap(schema))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(wrappedSchema({ type: 'array', $schema: 'https://json-schema.org/draft/2020-12/schema' })).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { result: { type: 'array', $schema: 'https://json-schema.org/draft/2020-12/schema' } },
    required: ['result'],
  });
});

test('moves references to the document', () => {
  expect(
    moved({ type: 'array', items: { $ref: '#/$defs/x' }, $defs: { x: { $ref: '#' }, y: { $dynamicRef: '#/a' } } }),
  ).toEqual({
    type: 'array',
    items: { $ref: '#/properties/result/$defs/x' },
    $defs: { x: { $ref: '#/properties/result' }, y: { $dynamicRef: '#/properties/result/a' } },
  });
});

test.each([
  { title: 'data', schema: { enum: [{ $ref: '#' }], const: { $ref: '#' }, default: { $ref: '#' } } },
  { title: 'anchors and other documents', schema: { allOf: [{ $ref: '#name' }, { $ref: 'https://a.example/b#/c' }] } },
  {
    title: 'properties with the name of a keyword',
    schema: { properties: { $ref: { type: 'string' }, enum: { minimum: 1 } } },
  },
  { title: 'a schema with an id of its own', schema: { items: { $id: 'https://a.example/b', $ref: '#/c' } } },
  {
    title: 'dynamic recursion',
    schema: {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      $recursiveAnchor: true,
      items: { $recursiveRef: '#' },
    },
  },
])('leaves $title unchanged', ({ schema }) => {
  expect(moved(schema)).toEqual(schema);
});

test('names the root of a recursive schema of draft 2019-09', () => {
  const $schema = 'https://json-schema.org/draft/2019-09/schema';
  expect(moved({ $schema, items: { $recursiveRef: '#' } })).toEqual({
    $schema,
    items: { allOf: [{ $ref: '#/properties/result' }] },
  });
});
