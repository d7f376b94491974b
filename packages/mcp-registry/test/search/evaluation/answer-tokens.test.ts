import { textOf } from '@x/test-servers';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { createRegistry } from '../../../src/registry.js';
import { createConstantSurface } from '../../../src/views/constant-surface.js';
import { QUERIES, TOOLS } from './evaluation-set.js';

const queries = QUERIES.filter(({ suite }) => suite === 'livemcp-agent').map(({ query }) => query);

async function createSurface() {
  const registry = createRegistry();
  const tools = TOOLS.filter(({ suite }) => suite === 'livemcp');
  for (const name of new Set(tools.map(({ server }) => server))) {
    const offered = tools
      .filter(({ server }) => server === name)
      .map(({ name, description = '', inputSchema = { type: 'object' } }) => ({ name, description, inputSchema }));
    await registry.attach({ name, listTools: () => offered, callTool: async () => ({ content: [] }) }).ready;
  }
  return createConstantSurface(registry);
}

const partOf = (counts: readonly number[], part: number) =>
  counts.toSorted((left, right) => left - right)[Math.floor(counts.length * part)];

// The figures of docs/benchmarks.md, in the tokens of o200k_base.
test.each([
  [5, { text: [170, 245], data: [220, 295] }],
  [10, { text: [335, 450], data: [430, 545] }],
])('answers with %i of 527 tools to queries of a model are small', async (limit, most) => {
  const surface = await createSurface();
  const text: number[] = [];
  const data: number[] = [];
  for (const query of queries) {
    const answer = await surface.call('search_mcp_tools', { query, limit });
    text.push(countTokens(textOf(answer)));
    data.push(countTokens(JSON.stringify(answer.structuredContent)));
  }
  for (const [counts, [half, most20th]] of [
    [text, most.text],
    [data, most.data],
  ] as const) {
    expect(partOf(counts, 0.5)).toBeLessThanOrEqual(half ?? 0);
    expect(partOf(counts, 0.95)).toBeLessThanOrEqual(most20th ?? 0);
  }
});

test('the two constant tools are small', async () => {
  const tools = (await createSurface()).list();
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(countTokens(JSON.stringify(shown))).toBeLessThanOrEqual(450);
});
