import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/contracts.js';
import { copyJson } from '../../src/json/copy-json.js';
import { checkValue, uncheckedParts } from '../../src/json-schema/check-value.js';
import { usePatternEngine } from '../../src/json-schema/text-pattern.js';

usePatternEngine(RE2JS);

const ready = (schema: unknown) => copyJson(schema) as JsonSchema;
const check = (schema: unknown, args: unknown) => checkValue(ready(schema), args);
const properties = (members: Record<string, unknown>, more: object = {}) => ({
  type: 'object',
  properties: members,
  ...more,
});
const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const named = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(times(count, (at) => [`m${at}`, make(at)]));

// Each of these took from several seconds to minutes; the limit of a test is what they are held against.
describe('a schema made to take long does not', { timeout: 10_000 }, () => {
  test('by patterns that become large', () => {
    const alternatives = '[a-z]{1,900}|'.repeat(140);
    const schema = properties(named(250, (at) => ({ pattern: `(${alternatives}b)${at}` })));
    expect(check(schema, { m1: 'a' })).toEqual({ outcome: 'valid' });
    expect(uncheckedParts(ready(schema))).not.toEqual([]);
  });

  test('by many patterns', () => {
    const schema = properties(named(6_000, (at) => ({ pattern: `^((a{9}){9}){9}${at}` })));
    expect(check(schema, { m0: 'a' })).toMatchObject({ outcome: 'invalid' });
    expect(check(schema, { m5999: 'a' })).toEqual({ outcome: 'valid' });
  });

  test('by counting the members of a large object again and again', () => {
    const counting = { allOf: times(6_000, () => ({ minProperties: 1, maxProperties: 1_000_000 })) };
    expect(check(properties({ a: counting }), { a: named(20_000, () => 1) }).outcome).toBe('unchecked');
  });

  test('by alternatives of alternatives, each of which would be explained', () => {
    const level = (below: string) => ({ anyOf: times(20, () => ({ $ref: `#/$defs/${below}` })) });
    const $defs = { values: { enum: times(9_000, (at) => `v${at}`) }, one: level('values'), two: level('one') };
    const schema = properties({ a: level('two') }, { $defs });
    expect(check(schema, { a: 'none' })).toMatchObject({ outcome: 'invalid' });
  });

  test('nor does a chain of references end in anything but an answer', () => {
    const $defs = named(6_000, (at) => (at < 5_999 ? { $ref: `#/$defs/m${at + 1}` } : { type: 'string' }));
    expect(check(properties({ a: { $ref: '#/$defs/m0' } }, { $defs }), { a: 1 }).outcome).toBe('unchecked');
    expect(check(properties({ a: { $ref: '#/$defs/m5990' } }, { $defs }), { a: 1 }).outcome).toBe('invalid');
  });
});

describe('patterns', () => {
  test.each([
    ['^\\s+$', '\u00a0\u2028\ufeff\v', 'valid'],
    ['^[\\d\\s]+$', '1\u00a0000', 'valid'],
    ['^\\S+$', 'a\u00a0b', 'invalid'],
    ['^[^\\s]+$', 'a\u00a0b', 'invalid'],
    ['^[\\s\\S]+$', 'a\u00a0b', 'valid'],
    ['^[^\\S]$', '\u00a0', 'valid'],
    ['[^]]', 'a', 'valid'],
    ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}$', '0b0b0b0b-1c1c-2d2d2d2d2d2d', 'valid'],
    ['^[0-9a-f]{8}$', '0b0b0b0', 'invalid'],
  ])('%s means in %j what it does in JavaScript', (pattern, text, outcome) => {
    expect(check(properties({ a: { pattern } }), { a: text }).outcome).toBe(outcome);
  });

  test('that are not tested allow everything, also where something else would have to be ruled out', () => {
    const schema = properties({ a: { not: { type: 'string', pattern: '(?=x)' } } });
    expect(check(schema, { a: 'x' })).toEqual({ outcome: 'valid' });
    expect(check(schema, { a: 1 })).toEqual({ outcome: 'valid' });
  });
});

test.each([
  { $ref: '#/$defs/text', nullable: true },
  { allOf: [{ $ref: '#/$defs/text' }], nullable: true },
  { type: 'string', enum: ['a'], nullable: true },
])('null is allowed where OpenAPI says so: %j', (schema) => {
  const whole = properties({ a: schema }, { $defs: { text: { type: 'string' } } });
  expect(check(whole, { a: null })).toEqual({ outcome: 'valid' });
  expect(check(whole, { a: 1 })).toMatchObject({ outcome: 'invalid' });
});
