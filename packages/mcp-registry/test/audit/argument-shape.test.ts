import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toArgumentShape } from '../../src/audit/audited-facts.js';

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, lines: {}, options: {}, deep: {}, flag: {}, nothing: {}, count: {} },
};

test('contains the names that the schema has, with types and sizes', () => {
  const args = { path: '/etc', lines: [1, 2], options: { a: 1 }, deep: [[1]], flag: true, nothing: null, count: 7 };
  expect(toArgumentShape(args, schema)).toEqual({
    known: {
      path: 'string(4)',
      lines: 'array(2)',
      options: 'object(1)',
      deep: 'array(1)',
      flag: 'boolean',
      nothing: 'null',
      count: 'number',
    },
    others: 0,
  });
});

test('only counts arguments that the schema does not name, because a name may be a value', () => {
  expect(toArgumentShape({ path: '', 'hunter2 is the password': 1, toString: 1, __proto__: 1 }, schema)).toEqual({
    known: { path: 'string(0)' },
    others: 2,
  });
  expect(toArgumentShape({ a: 1 }, undefined)).toEqual({ known: {}, others: 1 });
  expect(toArgumentShape({ a: 1 }, { type: 'object', properties: 5 })).toEqual({ known: {}, others: 1 });
});

test('an own __proto__ in the schema is an ordinary name', () => {
  const own = JSON.parse('{"__proto__":{"x":1}}');
  const shape = toArgumentShape(own, { properties: own });
  expect(Object.entries(shape.known)).toEqual([['__proto__', 'object(1)']]);
  expect(Object.getPrototypeOf(shape.known)).toBe(Object.prototype);
});

test('stays small for any number and length of names', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`n${n}`, 1]));
  const shape = toArgumentShape(many, { properties: many });
  expect([Object.keys(shape.known).length, shape.others]).toEqual([32, 468]);
  const long = { ['x'.repeat(10_000)]: 1 };
  expect(toArgumentShape(long, { properties: long })).toEqual({ known: {}, others: 1 });
});

test.each([undefined, null, 'text', 5, []])('a value that is not an object has no names: %s', (args) => {
  expect(toArgumentShape(args, schema)).toEqual({ known: {}, others: 0 });
});

test('never contains a value', () => {
  const secret = 'correct-horse-battery';
  const json = fc.object({ key: fc.constantFrom('path', 'lines', secret), values: [fc.constant(secret)], maxDepth: 3 });
  fc.assert(
    fc.property(json, (args) => {
      expect(JSON.stringify(toArgumentShape(args, schema))).not.toContain(secret);
    }),
  );
});
