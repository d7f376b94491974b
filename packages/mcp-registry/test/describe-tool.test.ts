import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { createRegistry } from '../src/registry.js';

test('a description has everything to read before a call', async () => {
  const registry = createRegistry();
  const log = tool('log', {
    title: 'Show commits',
    description: 'Shows the newest commits.\nNewest first.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many' },
        path: { type: 'string', description: 'Where the\nrepository is' },
        order: { enum: ['date', 'topo'] },
        odd: { $ref: 'https://schema.example/odd' },
      },
      required: ['path'],
    },
    outputSchema: { type: 'object', properties: { commits: { type: 'array', items: { type: 'string' } } } },
  });
  await registry.attach(createListSource('git', [log])).ready;
  const description = await registry.describe('mcp__git__log');
  expect(description).toMatchObject({
    tool: registry.get('mcp__git__log'),
    signature: 'mcp__git__log(path: string, limit?: integer (1 to 100), order?: "date" | "topo", odd?: any value)',
  });
  expect(description?.text).toMatchInlineSnapshot(`
    "mcp__git__log: Show commits
    A tool of server git, which is running; only reads, as it says

    Shows the newest commits.
    Newest first.

    mcp__git__log(path: string, limit?: integer (1 to 100), order?: "date" | "topo", odd?: any value)
    - limit: How many
    - path: Where the repository is
    Gives { commits?: string[] }
    Not checked before a call: the reference "https://schema.example/odd", which leads out of the schema"
  `);
});

test('hidden tools have no description', async () => {
  const registry = createRegistry({ roles: [{ role: 'none', allowedTools: [] }] });
  await registry.attach(createListSource('git', [tool('log')])).ready;
  expect(await registry.describe('mcp__git__push')).toBeUndefined();
  expect(await registry.view({ role: 'none' }).describe('mcp__git__log')).toBeUndefined();
});

test('hidden characters are escaped', async () => {
  const registry = createRegistry();
  await registry.attach(createListSource('git', [tool('log', { title: 'a\u001b[2J', description: 'b\u200bc' })])).ready;
  const text = (await registry.describe('mcp__git__log'))?.text;
  expect(text).toContain('a\\u001b[2J');
  expect(text).toContain('b\\u200bc');
});

test('the tools of the registry itself are described like any other', async () => {
  expect((await createRegistry().describe('search_mcp_tools'))?.signature).toMatch(
    /^search_mcp_tools\(query: string, /,
  );
});
