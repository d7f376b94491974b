import { expect, test } from 'vitest';
import { typesOf } from '../../src/call-words/schema-types.js';

test('references that double at each level are read in no time', () => {
  const twice = (name: string) => ({ anyOf: Array.from({ length: 10 }, () => ({ $ref: `#/$defs/${name}` })) });
  const $defs: Record<string, object> = { last: { type: 'string' } };
  for (let level = 0; level < 30; level += 1) $defs[`l${level}`] = twice(level === 0 ? 'last' : `l${level - 1}`);
  expect(typesOf(twice('l29'), { $defs })).toEqual(new Set(['string']));
});

test('a schema that is one of its own alternatives allows every type', () => {
  const root = { anyOf: [{ type: 'string' }, { $ref: '#' }] };
  expect(typesOf(root, root)).toEqual(new Set());
});
