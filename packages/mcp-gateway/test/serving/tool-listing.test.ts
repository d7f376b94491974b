import { compareText } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf } from '../../src/serving/tool-listing.js';

function listing(names: Iterable<string>, description = ''): readonly ToolView[] {
  return Array.from(new Set(names))
    .toSorted(compareText)
    .map((name) => ({ name, tool: name, server: undefined, description, inputSchema: {}, state: 'running' as const }));
}

const name = fc.stringMatching(/^[a-z_]{1,6}$/);
const names = fc.array(name, { maxLength: 40 });

test('the pages of any length together are the listing', () => {
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 10 }), (all, pageSize) => {
      const tools = listing(all);
      const seen: ToolView[] = [];
      let cursor: string | undefined;
      do {
        const page = pageOf(tools, pageSize, cursor);
        expect(page.tools.length).toBeLessThanOrEqual(pageSize);
        seen.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(tools);
    }),
  );
});

test('for any changes between two pages, each remaining tool is listed once', () => {
  fc.assert(
    fc.property(names, fc.array(names), fc.integer({ min: 1, max: 5 }), (stay, others, pageSize) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      let round = 0;
      do {
        const page = pageOf(listing([...stay, ...(others[round++] ?? [])]), pageSize, cursor);
        seen.push(...page.tools.map((tool) => tool.name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(stay));
    }),
  );
});

test('refuses any text that is not a cursor', () => {
  const { nextCursor = '' } = pageOf(listing(['a', 'b']), 1, undefined);
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom('', '.', 'a', `${nextCursor} `, nextCursor.slice(1))),
      (cursor) => {
        fc.pre(cursor !== nextCursor);
        expect(() => pageOf(listing(['a', 'b']), 1, cursor)).toThrow(
          expect.objectContaining({ code: 'invalid-cursor' }),
        );
      },
    ),
  );
});

test('a page ends before clients would refuse it', () => {
  const tools = listing(['a', 'b', 'c'], 'x'.repeat(3_000_000));
  const page = pageOf(tools, 10, undefined);
  expect(page.tools).toHaveLength(1);
  expect(pageOf(tools, 10, page.nextCursor).tools).toHaveLength(1);
});
