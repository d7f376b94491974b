import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { openaiChat } from '../../src/formats.js';
import { createConstantSurface } from '../../src/index.js';
import { createRegistry } from '../../src/registry.js';

const visibleTo = (...visibility: readonly string[]) => ({ _meta: { ui: { visibility } } });

async function open() {
  const registry = createRegistry();
  const tools = [
    tool('refresh', { description: 'Refreshes the chart', ...visibleTo('app') }),
    tool('show', { description: 'Shows the chart', ...visibleTo('model', 'app') }),
    tool('note', { description: 'Notes the chart', ...visibleTo('model') }),
  ];
  await registry.attach(createListSource('chart', tools)).ready;
  return registry;
}

test.each([
  { query: 'refreshes' },
  { query: 'chart' },
  { query: '*' },
  { query: 'mcp__chart__refresh' },
  { query: 'mcp__chart__refres' },
  { query: 'chart', useRegex: true },
  { query: 'chart', server: 'chart' },
  { query: 'chart', include: 'known' as const },
])('a search finds no tool that only apps call: %j', async (request) => {
  const registry = await open();
  const { tools, suggestions = [] } = await registry.search(request);
  const names = tools.map(({ tool: name }) => name);
  expect([...names, ...suggestions].join()).not.toContain('refresh');
  if (request.query === 'chart') expect(names.toSorted()).toEqual(['note', 'show']);
});

test('apps and operators find it in the list, and apps can call it', async () => {
  const registry = await open();
  expect(registry.list().map(({ name }) => name)).toContain('mcp__chart__refresh');
  expect(await registry.call('mcp__chart__refresh')).toMatchObject({ content: [{ type: 'text' }] });
});

test('no format offers it to a model', async () => {
  const names = openaiChat(await open()).tools.map((each) => each.function.name);
  expect(names).toEqual(['mcp__chart__note', 'mcp__chart__show', 'search_mcp_tools']);
});

test('call_mcp_tool does not call it', async () => {
  const surface = createConstantSurface(await open());
  expect(await surface.call('call_mcp_tool', { name: 'mcp__chart__show' })).not.toHaveProperty('isError');
  expect(await surface.call('call_mcp_tool', { name: 'mcp__chart__refresh' })).toMatchObject({
    isError: true,
    content: [{ text: 'call_mcp_tool does not call "mcp__chart__refresh", which is for the app of its server' }],
  });
});
