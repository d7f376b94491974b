import { allowsTool } from '@x/internal/server-fields';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServerTool } from '../../../src/session/session.js';
import { allowedOf } from '../../../src/supervisor/tools/tool-offer.js';

const tool = (name: string): ServerTool => ({ name, inputSchema: { type: 'object' } });
const nothingDenied = { deniedTools: [] };

test('without rules every tool is allowed, and the list stays the same', () => {
  const tools = [tool('a'), tool('b')];
  expect(allowedOf({ allowedTools: undefined, ...nothingDenied }, tools)).toBe(tools);
});

test.each([
  ['read_file', 'read_file', true],
  ['read_file', 'read_files', false],
  ['read_*', 'read_file', true],
  ['read_*', 'read_', true],
  ['read_*', 'unread_file', false],
  ['*_file', 'read_file', true],
  ['*', '', true],
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'a1c2b', false],
  ['ab*ba', 'aba', false],
  ['a.c', 'abc', false],
])('the pattern %s and the tool %s: %s', (pattern, name, isAllowed) => {
  expect(allowsTool({ allowedTools: [pattern], ...nothingDenied }, name)).toBe(isAllowed);
  expect(allowsTool({ allowedTools: undefined, deniedTools: [pattern] }, name)).toBe(!isAllowed);
});

test('does not offer a denied tool even if it is allowed', () => {
  const rules = { allowedTools: ['read_*'], deniedTools: ['*_secret'] };
  const tools = ['read_file', 'read_secret', 'write_file'].map(tool);
  expect(allowedOf(rules, tools).map(({ name }) => name)).toEqual(['read_file']);
});

test('a star stands for any text, as a regular expression would say it', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 });
  fc.assert(
    fc.property(letters, names, (pattern, name) => {
      const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name);
      expect(allowsTool({ allowedTools: [pattern], ...nothingDenied }, name)).toBe(expected);
    }),
    { numRuns: 3_000 },
  );
});
