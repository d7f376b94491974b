import { createRegistry } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { contextReport } from '../../src/context/context-report.js';

const [search] = createRegistry().list();
const tool = (name: string, server: string, description: string) => ({
  name,
  server,
  description,
  inputSchema: { type: 'object' },
});

test('counts definitions by server and by tool, the largest first', () => {
  const tools = [tool('a', 'small', 'x'), tool('b', 'large', 'word '.repeat(50)), tool('c', 'large', 'y')];
  const report = contextReport({ tools, deferredSearch: {}, turns: 1 });
  expect(report.servers.map(({ server, tools: count }) => [server, count])).toEqual([
    ['large', 2],
    ['small', 1],
  ]);
  expect(report.tools.map(({ name }) => name)).toEqual(['b', 'a', 'c']);
  const total = report.tools.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(report.servers.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total);
  expect(report.surfaces).toEqual([{ surface: 'full', perRequest: total, perSearch: 0, session: total }]);
});

test('an answer is read again in every later request of the session', () => {
  const tools = Array.from({ length: 10 }, (_, at) => tool(`t${at}`, 's', 'word '.repeat(100)));
  const answer = { text: 'line: purpose\n'.repeat(10), tools: 10 };
  const report = contextReport({
    tools: [...tools, ...(search ? [search] : [])],
    answer,
    deferredSearch: search,
    turns: 7,
  });
  const [full, pair, defer] = report.surfaces;
  expect(report.searches).toBe(2);
  expect(full?.session).toBe(7 * (full?.perRequest ?? 0));
  // The searches are in requests 1 and 6 of 7.
  for (const cost of [pair, defer]) {
    expect(cost?.session).toBe(7 * (cost?.perRequest ?? 0) + (6 + 1) * (cost?.perSearch ?? 0));
  }
  expect(pair?.perSearch).toBe(3 * 5);
  expect(defer?.perSearch).toBeGreaterThan(400);
});

test.each([0, 1, 2, 5, 6])('a search finds at most five of %i tools, and none of mcpx itself', (count) => {
  const tools = Array.from({ length: count }, (_, at) => tool(`t${at}`, 's', 'word '.repeat(100)));
  const answer = { text: 'line: purpose\n'.repeat(count), tools: count };
  const { surfaces, tools: counted } = contextReport({
    tools: [...tools, ...(search ? [search] : [])],
    answer,
    deferredSearch: search,
    turns: 1,
  });
  const [, pair, defer] = surfaces;
  const each = counted.find(({ server }) => server === 's')?.tokens ?? 0;
  expect(defer?.perSearch).toBe(Math.min(5, count) * each);
  expect(pair?.perSearch).toBe(Math.min(5, count) * 3);
});

test('a role without the search has one surface', () => {
  const report = contextReport({ tools: [tool('a', 's', 'x')], deferredSearch: {}, turns: 20 });
  expect(report.surfaces.map(({ surface }) => surface)).toEqual(['full']);
  expect(contextReport({ tools: [], deferredSearch: {}, turns: 20 }).servers).toEqual([]);
});
