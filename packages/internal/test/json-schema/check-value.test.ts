import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/contracts.js';
import { copyJson } from '../../src/json/copy-json.js';
import { isRecord } from '../../src/json/json-values.js';
import { checkValue, type SchemaCheck, uncheckedParts } from '../../src/json-schema/check-value.js';
import { usePatternEngine } from '../../src/json-schema/text-pattern.js';

usePatternEngine(RE2JS);

// The linter takes an object with such a key for a promise.
const THEN = 'then';
const ready = (schema: unknown) => copyJson(schema) as JsonSchema;
const check = (schema: unknown, args: unknown): SchemaCheck => checkValue(ready(schema), args);
const faultsOf = (schema: unknown, args: unknown) => {
  const result = check(schema, args);
  return result.outcome === 'invalid' ? result.faults : [];
};
const properties = (members: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties: members,
  ...more,
});

describe('what is wrong is said with its place, what would be right and what was meant', () => {
  const schema = properties(
    {
      path: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      mode: { enum: ['read', 'write'] },
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 3 },
    },
    { required: ['path'], additionalProperties: false },
  );

  test.each([
    ['a missing one', {}, { path: '/path', message: 'is missing', expected: 'string' }],
    [
      'a missing one behind a misspelling',
      { pth: 'a' },
      { path: '/path', message: 'is missing', expected: 'string', closest: 'pth' },
    ],
    [
      'an unknown one',
      { path: 'a', limits: 1 },
      { path: '/limits', message: 'is not known here', expected: expect.stringContaining('"limit"'), closest: 'limit' },
    ],
    ['a type', { path: 1 }, { path: '/path', message: 'must be a string, got a number', expected: 'string' }],
    [
      'a number in a text',
      { path: 'a', limit: '5' },
      {
        path: '/limit',
        message: 'must be an integer, got a string that holds one: give it as it is, without the quotes',
        expected: 'integer (1 to 100)',
      },
    ],
    ['a fraction', { path: 'a', limit: 1.5 }, { message: expect.stringContaining('a number with a fraction') }],
    ['a range', { path: 'a', limit: 0 }, { path: '/limit', message: 'must be at least 1' }],
    [
      'a word that is not allowed',
      { path: 'a', mode: 'raed' },
      { path: '/mode', message: 'is not one of the allowed values', expected: '"read" | "write"', closest: 'read' },
    ],
    ['an item', { path: 'a', tags: ['x', 1] }, { path: '/tags/1', message: 'must be a string, got a number' }],
    ['an item that is there twice', { path: 'a', tags: ['x', 'x'] }, { path: '/tags/1', message: 'is there twice' }],
    ['a length', { path: 'a', tags: ['a', 'b', 'c', 'd'] }, { message: 'must have at most 3 items, got 4' }],
  ])('%s', (_, args, fault) => {
    expect(faultsOf(schema, args)).toContainEqual(expect.objectContaining(fault));
  });

  test('all of it at once, and at most ten', () => {
    const wide = properties(
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, { type: 'string' }])),
    );
    const wrong = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, index]));
    expect(faultsOf(wide, wrong)).toHaveLength(10);
    expect(faultsOf(schema, { limit: '5', mode: 'x' })).toHaveLength(3);
  });

  test('no value that was given is in it', () => {
    const secret = 'hunter2hunter2';
    const strict = properties(
      {
        a: { type: 'integer' },
        b: { enum: ['x'] },
        c: { const: 'y' },
        d: { pattern: '^z$' },
        e: { maxLength: 2 },
        f: { anyOf: [{ type: 'integer' }, { const: 'q' }] },
        g: { not: { type: 'string' } },
      },
      { additionalProperties: { type: 'integer' } },
    );
    const args = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => [key, secret]));
    const faults = faultsOf(strict, args);
    expect(faults).toHaveLength(8);
    expect(JSON.stringify(faults)).not.toContain(secret);
  });

  test('reports the faults of the most likely alternative', () => {
    const target = properties({
      target: {
        anyOf: [
          properties({ kind: { const: 'file' }, name: { type: 'string' } }, { required: ['kind', 'name'] }),
          properties({ kind: { const: 'url' }, href: { type: 'string' } }, { required: ['kind', 'href'] }),
        ],
      },
    });
    expect(faultsOf(target, { target: { kind: 'url' } })).toEqual([
      { path: '/target/href', message: 'is missing', expected: 'string' },
    ]);
    expect(faultsOf(target, { target: 3 })).toEqual([
      { path: '/target', message: 'fits none of the allowed forms', expected: expect.stringContaining('name: string') },
    ]);
  });
});

describe('keywords mean what the standard says', () => {
  const cases: [string, unknown, unknown, boolean][] = [
    ['null for a nullable type', { type: ['string', 'null'] }, null, true],
    ['null as OpenAPI writes it', { type: 'string', nullable: true }, null, true],
    ['1.0 is an integer', { type: 'integer' }, 1.0, true],
    ['an array is no object', { type: 'object' }, [], false],
    ['const with keys in another order', { const: { a: 1, b: 2 } }, { b: 2, a: 1 }, true],
    ['characters, not code units', { maxLength: 1 }, '😀', true],
    ['characters at least', { minLength: 2 }, '😀', false],
    ['multiples of fractions', { multipleOf: 0.01 }, 4.35, true],
    ['no multiple', { multipleOf: 2 }, 3, false],
    ['patterns are found anywhere', { pattern: 'b' }, 'abc', true],
    [
      'names by pattern',
      { patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
      { 'x-a': 1 },
      true,
    ],
    ['names by pattern, wrong', { patternProperties: { '^x-': { type: 'integer' } } }, { 'x-a': 'a' }, false],
    ['names', { propertyNames: { maxLength: 1 } }, { ab: 1 }, false],
    ['dependents', { dependentRequired: { a: ['b'] } }, { a: 1 }, false],
    ['dependencies of draft 7', { dependencies: { a: { required: ['b'] } } }, { a: 1 }, false],
    ['tuples', { prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
    ['tuples of draft 7', { items: [{ type: 'string' }], additionalItems: false }, ['a', 1], false],
    ['contains', { contains: { type: 'string' }, minContains: 2 }, ['a', 1], false],
    ['contains of a later item', { items: { contains: { type: 'string' } } }, [['a'], []], false],
    ['if and then', { if: { required: ['a'] }, [THEN]: { required: ['b'] } }, { a: 1 }, false],
    ['if and else', { if: { required: ['a'] }, else: { required: ['b'] } }, {}, false],
    ['not', { not: { required: ['a'] } }, { a: 1 }, false],
    ['one of two', { oneOf: [{ minimum: 1 }, { maximum: 3 }] }, 2, false],
    [
      'unevaluated behind a reference',
      { $ref: '#/$defs/a', unevaluatedProperties: false, $defs: { a: { properties: { x: {} } } } },
      { x: 1 },
      true,
    ],
    ['unevaluated', { allOf: [{ properties: { x: {} } }], unevaluatedProperties: false }, { x: 1, y: 1 }, false],
    [
      'an anchor below a name that is a keyword elsewhere',
      { $ref: '#a', $defs: { default: { $anchor: 'a', type: 'string' } } },
      1,
      false,
    ],
    ['a reference by anchor', { $ref: '#a', $defs: { a: { $anchor: 'a', type: 'string' } } }, 1, false],
    ['a reference by $id', { $ref: 'item', $defs: { a: { $id: 'item', type: 'string' } } }, 1, false],
    ['a reference through escapes', { $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': { type: 'string' } } }, 1, false],
    [
      'a schema that contains itself',
      { properties: { child: { $ref: '#' }, n: { type: 'integer' } } },
      { child: { child: { n: 'x' } } },
      false,
    ],
    ['an open switch of draft 4', { minimum: 1, exclusiveMinimum: true }, 1, false],
    ['what JSON leaves out', { required: ['a'] }, { a: undefined }, false],
    ['formats are not asserted', { format: 'date-time' }, 'tomorrow', true],
    ['unknown keywords', { deprecated: true, 'x-anything': { type: 'nonsense' } }, 1, true],
  ];
  test.each(cases)('%s', (_, schema, args, isValid) => {
    expect(check(schema, args).outcome).toBe(isValid ? 'valid' : 'invalid');
  });

  const keyword = fc.constantFrom(
    { type: 'string' },
    { type: ['integer', 'null'] },
    { enum: ['a', 1, null] },
    { const: { a: [1] } },
    { minimum: 1 },
    { exclusiveMaximum: 3 },
    { multipleOf: 2 },
    { minLength: 2 },
    { maxLength: 1 },
    { pattern: '^a' },
    { required: ['a'] },
    { minProperties: 1 },
    { maxProperties: 1 },
    { uniqueItems: true },
    { minItems: 1 },
    { maxItems: 1 },
    { dependentRequired: { a: ['b'] } },
    { $ref: '#/$defs/leaf' },
    {},
  );
  const schemas = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      keyword,
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('schema') }),
      fc.record({ if: tie('schema'), [THEN]: tie('schema'), else: tie('schema') }),
      fc.record({ properties: fc.record({ a: tie('schema'), b: tie('schema') }), additionalProperties: tie('schema') }),
      fc.record({ patternProperties: fc.record({ '^a': tie('schema') }), unevaluatedProperties: fc.boolean() }),
      fc.record({
        allOf: fc.tuple(fc.record({ properties: fc.record({ a: tie('schema') }) })),
        unevaluatedProperties: tie('schema'),
      }),
      fc.record({ prefixItems: fc.tuple(tie('schema')), items: tie('schema') }),
      fc.record({ prefixItems: fc.tuple(tie('schema')), unevaluatedItems: fc.boolean() }),
      fc.record({ contains: tie('schema') }),
      fc.record({ propertyNames: tie('schema') }),
    ),
  })).schema;
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('', 'a', 'ab', 'b', 0, 1, 2, 3, 1.5, null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      // Plain objects: the other validator takes one without a prototype for different from one with the same keys.
      fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value;

  // Without maxContains, the other validator judges an empty array as the array before it: {"items": {"contains":
  // {"type": "string"}}} accepts [[""], []].
  const withMaxContains = (schema: object): object =>
    JSON.parse(JSON.stringify(schema), (_key, part) =>
      isRecord(part) && 'contains' in part ? { maxContains: Number.MAX_SAFE_INTEGER, ...part } : part,
    );

  test('agrees with another validator for any schema and arguments', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const whole = { ...schema, $defs: { leaf: { type: ['string', 'object'], minLength: 1 } } };
        const other = new Ajv2020({ strict: false, logger: false }).compile(withMaxContains(whole));
        expect(check(whole, value).outcome).toBe(other(value) ? 'valid' : 'invalid');
      }),
      { numRuns: 200 },
    );
  });

  test('draft 7, in which nothing stands beside a reference', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { text: { type: 'string' } },
      properties: { a: { $ref: '#/definitions/text', maxLength: 1 } },
    };
    expect(check(schema, { a: 'long' }).outcome).toBe('valid');
    expect(check(schema, { a: 1 }).outcome).toBe('invalid');
  });
});

describe('ends a check soon for any schema', () => {
  const laughs = () => {
    const $defs: Record<string, unknown> = { end: { type: 'object' } };
    for (let level = 0; level < 40; level++) {
      const next = { $ref: level === 39 ? '#/$defs/end' : `#/$defs/level${level + 1}` };
      $defs[`level${level}`] = { allOf: [next, next] };
    }
    return { $defs, $ref: '#/$defs/level0' };
  };
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  test.each<[string, unknown, unknown, SchemaCheck['outcome']]>([
    ['a reference to the network', { $ref: 'https://schema.example/a.json' }, {}, 'valid'],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, {}, 'valid'],
    ['a reference to itself', { $ref: '#' }, {}, 'unchecked'],
    ['references in a circle', { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#' }] } } }, {}, 'unchecked'],
    ['references that double at each level', laughs(), {}, 'unchecked'],
    [
      '40 000 alternatives',
      { anyOf: Array.from({ length: 40_000 }, (_, index) => ({ const: index })) },
      'x',
      'unchecked',
    ],
    ['6 000 alternatives', { anyOf: Array.from({ length: 6_000 }, (_, index) => ({ const: index })) }, 'x', 'invalid'],
    [
      'a pattern that the native engine never ends on',
      { properties: { a: { pattern: '^(a+)+$' } } },
      { a: `${'a'.repeat(20_000)}!` },
      'invalid',
    ],
    ['a pattern that cannot be tested', { properties: { a: { pattern: '^(?!x)a$' } } }, { a: 'b' }, 'valid'],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, { a: 'b' }, 'valid'],
    ['arguments that contain themselves', { properties: { self: { $ref: '#' } } }, cyclic, 'unchecked'],
    [
      'many items that must differ',
      { properties: { a: { uniqueItems: true } } },
      { a: Array.from({ length: 20_000 }, (_, n) => ({ n })) },
      'valid',
    ],
    [
      'keywords of the wrong kind',
      { required: 'a', properties: [], items: 3, anyOf: {}, enum: 'x', pattern: 7, minimum: '1', type: 5, $ref: {} },
      { a: 1 },
      'valid',
    ],
  ])('%s', (_, schema, args, outcome) => {
    expect(check(schema, args).outcome).toBe(outcome);
  });

  test('what is not checked is known by name', () => {
    expect(uncheckedParts(ready({ $ref: 'https://schema.example/a.json', pattern: '(?=a)' }))).toEqual([
      'the reference "https://schema.example/a.json", which leads out of the schema',
      'the pattern "(?=a)"',
    ]);
    expect(uncheckedParts(ready({ type: 'object', format: 'whatever' }))).toEqual([]);
  });

  test('from what was let pass unchecked nothing is concluded', () => {
    const away = { $ref: 'https://schema.example/a.json' };
    const hopeful = [
      { not: away },
      { oneOf: [away, {}] },
      { if: away, [THEN]: false },
      { ...away, unevaluatedProperties: false },
      { contains: away, maxContains: 0, minContains: 0 },
    ];
    for (const schema of hopeful) expect(check(schema, { a: 1 }).outcome).toBe('valid');
    expect(check({ contains: away, maxContains: 0, minContains: 0 }, [1]).outcome).toBe('valid');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is an argument like any other', (name) => {
    const strict = JSON.parse(
      `{"properties":{"${name}":{"type":"string"}},"required":["${name}"],"additionalProperties":false}`,
    );
    expect(check(strict, JSON.parse(`{"${name}":"a"}`)).outcome).toBe('valid');
    expect(faultsOf(strict, JSON.parse(`{"${name}":1}`))).toMatchObject([{ path: `/${name}` }]);
    expect(faultsOf(strict, {})).toMatchObject([{ path: `/${name}`, message: 'is missing' }]);
    expect(faultsOf({ properties: {}, additionalProperties: false }, JSON.parse(`{"${name}":1}`))).toMatchObject([
      { path: `/${name}` },
    ]);
  });

  test('returns a result for any JSON as schema and arguments', () => {
    const anySchema = fc.dictionary(
      fc.constantFrom(
        'type',
        'properties',
        'required',
        'items',
        '$ref',
        'anyOf',
        'enum',
        'pattern',
        '$id',
        '$anchor',
        'not',
        'if',
        'unevaluatedItems',
        'minimum',
        'dependencies',
      ),
      fc.jsonValue({ maxDepth: 3 }),
    );
    fc.assert(
      fc.property(anySchema, fc.anything({ maxDepth: 3 }), (schema, args) => {
        expect(['valid', 'invalid', 'unchecked']).toContain(check(schema, args).outcome);
      }),
    );
  });
});
