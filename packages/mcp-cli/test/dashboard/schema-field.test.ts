import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../dashboard/src/form/check-arguments.js';
import { fieldOf, initialValue, variantOf } from '../../dashboard/src/form/schema-field.js';

const kindOf = (schema: object) => fieldOf(schema, schema as never).kind;

describe('the field of a schema', () => {
  test.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'flag'],
    [{ enum: ['a', 1, null] }, 'choice'],
    [{ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, 'choice'],
    [{ type: 'object', properties: { a: {} } }, 'object'],
    [{ properties: { a: {} } }, 'object'],
    [{ type: 'object' }, 'json'],
    [{ type: 'array', items: { type: 'string' } }, 'list'],
    [{ type: 'array' }, 'json'],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'variants'],
    [{ type: ['string', 'integer'] }, 'variants'],
    [{ properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, 'object'],
    [{}, 'json'],
    [{ $ref: '#/$defs/loop', $defs: { loop: { $ref: '#/$defs/loop' } } }, 'json'],
    [{ enum: Array.from({ length: 501 }, (_, index) => index) }, 'json'],
  ])('%j is a %s', (schema, kind) => {
    expect(kindOf(schema)).toBe(kind);
  });

  test('is that of the referred schema, with the texts beside the reference', () => {
    const root = { $defs: { name: { type: 'string', description: 'Any name.' } } };
    expect(fieldOf({ $ref: '#/$defs/name', description: 'Your name.' }, root)).toMatchObject({
      kind: 'text',
      description: 'Your name.',
    });
  });

  test('has the members of all parts of an `allOf`', () => {
    const schema = {
      required: ['a'],
      properties: { a: { type: 'string' } },
      allOf: [{ required: ['b'], properties: { b: { type: 'number' } } }],
    };
    expect(fieldOf(schema, schema)).toMatchObject({
      members: expect.arrayContaining([
        expect.objectContaining({ name: 'a', isRequired: true }),
        expect.objectContaining({ name: 'b', isRequired: true }),
      ]),
    });
  });

  test('shows 200 members of an object at most', () => {
    const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`a${index}`, {}]));
    expect(fieldOf({ properties }, {})).toMatchObject({ moreMembers: 800 });
  });

  test.each([
    ['a title', { title: 'City' }, 'City'],
    ['a constant', { properties: { kind: { const: 'city' } } }, 'kind: city'],
    ['a type', { type: 'number' }, 'number'],
    ['nothing', { type: 'object' }, 'object 1'],
  ])('names a variant by %s', (_what, variant, label) => {
    expect(fieldOf({ oneOf: [variant, { type: 'null' }] }, {})).toMatchObject({ variants: [{ label }, {}] });
  });
});

test('references that double at each level are read in no time', () => {
  const twice = (name: string) => ({
    allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }],
    oneOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }],
  });
  const $defs: Record<string, object> = { l0: { type: 'string' } };
  for (let level = 1; level < 40; level += 1) $defs[`l${level}`] = twice(`l${level - 1}`);
  const loop = { required: ['a', 'b', 'c'], properties: { a: { $ref: '#' }, b: { $ref: '#' }, c: { $ref: '#' } } };
  initialValue(twice('l39'), { $defs });
  expect(JSON.stringify(initialValue(loop, loop)).length).toBeLessThan(10_000);
});

test('a value shows its variant: by constants, then by members and type', () => {
  const root = {};
  const field = fieldOf(
    {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' }, x: {} } },
        { type: 'object', properties: { kind: { const: 'b' }, x: {}, y: {} } },
        { type: 'number' },
        { type: 'null' },
      ],
    },
    root,
  );
  if (field.kind !== 'variants') throw new Error('it has variants');
  const { variants } = field;
  const values = [{ kind: 'a' }, { kind: 'b', x: 1 }, { y: 1 }, 7, null];
  expect(values.map((value) => variantOf(variants, value, root))).toEqual([0, 1, 1, 2, 3]);
});

describe('a form begins with', () => {
  test.each([
    ['nothing optional', { properties: { a: { type: 'string', default: 'x' } } }, {}],
    ['defaults of required members', { required: ['a'], properties: { a: { default: 'x' } } }, { a: 'x' }],
    ['constants', { required: ['a'], properties: { a: { const: 1 } } }, { a: 1 }],
    [
      'required objects, also in the first variant',
      { required: ['a'], properties: { a: { oneOf: [{ required: ['b'], properties: { b: { const: 2 } } }, {}] } } },
      { a: { b: 2 } },
    ],
    ['as many items as there must be', { type: 'array', minItems: 2, items: { const: 0 } }, [0, 0]],
  ])('%s', (_what, schema, value) => {
    expect(initialValue(schema, schema as never)).toEqual(value);
  });

  test('a bounded value for a schema that needs itself', () => {
    const node = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } };
    expect(JSON.stringify(initialValue(node, node)).length).toBeLessThan(200);
  });
});

test('any schema has a field and a first value, and no check of it fails', () => {
  const { schema: part } = fc.letrec((tie) => {
    const inner = fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom({}, { type: 'string' }),
      tie('schema'),
    );
    const type = fc.constantFrom('string', 'object', 'array', 'null', 'x');
    const shape = {
      type: fc.oneof(type, fc.array(type, { maxLength: 3 })),
      properties: fc.dictionary(fc.constantFrom('a', '__proto__', 'constructor'), inner),
      required: fc.oneof(fc.array(fc.constantFrom('a', 'constructor')), fc.string()),
      items: inner,
      oneOf: fc.array(inner, { maxLength: 3 }),
      allOf: fc.array(inner, { maxLength: 2 }),
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
      $ref: fc.constantFrom('#', '#/properties/a', '#/nowhere', 'https://x.example/'),
      default: fc.jsonValue({ maxDepth: 1 }),
    };
    return { schema: fc.record(shape, { requiredKeys: [] }) };
  });
  fc.assert(
    fc.property(part, (schema) => {
      const root = schema as Record<string, unknown>;
      fieldOf(schema, root);
      faultsOf(root, initialValue(schema, root));
    }),
  );
});

test('alternatives that contain themselves are JSON', () => {
  const a = { default: {}, oneOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] };
  const root = { type: 'object', required: ['x'], properties: { x: { $ref: '#/$defs/a' } }, $defs: { a } };
  expect(initialValue(root, root)).toEqual({ x: {} });
  expect(fieldOf(root.properties.x, root).kind).toBe('json');
});

test.each([
  [
    'a missing argument',
    { required: ['a'], properties: { a: { type: 'integer', minimum: 1 } } },
    {},
    '/a',
    /^Missing: integer/,
  ],
  ['a wrong type', { properties: { a: { type: 'integer' } } }, { a: 'x' }, '/a', /^Must be an integer/],
  ['a value of none', { properties: { a: { enum: ['red'] } } }, { a: 'rde' }, '/a', /expected "red".*“red”/],
])('%s is reported at its place', (_what, schema, value, pointer, text) => {
  expect(faultsOf({ type: 'object', ...schema }, value).get(pointer)).toMatch(text);
});

test('a pattern is left to the daemon, because no engine of the browser ends for all', () => {
  const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  expect(faultsOf(schema, { a: `${'a'.repeat(40)}!` }).size).toBe(0);
});
