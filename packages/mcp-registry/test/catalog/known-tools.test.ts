import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';

/** A source that offers its tools only while `isUp`. */
function restingSource(name: string, names: readonly string[]) {
  const tools = Object.freeze(names.map((each) => tool(each)));
  const failure = Object.assign(new Error('It is not running. Start it first.'), { code: 'not-started' });
  let isUp = false;
  const source = createListSource(name, [], async () => {
    if (!isUp) throw failure;
    return { content: [] };
  });
  source.state = 'stopped';
  return {
    failure,
    source: Object.assign(source, {
      listTools: () => (isUp ? tools : []),
      knownTools: () => tools,
    }),
    move: (next: { readonly isUp: boolean }) => {
      isUp = next.isUp;
      source.state = isUp ? 'running' : 'stopped';
      source.announce();
    },
  };
}

const namesIn = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

test('known tools of a source that offers none are in no list, and in a search that includes them', async () => {
  const registry = createRegistry();
  const { source, failure } = restingSource('index', ['find_symbol', 'find_text']);
  registry.attach(source);
  expect(namesIn(registry.list())).toEqual(['search_mcp_tools']);
  expect(namesIn((await registry.search({ query: 'find symbol' })).tools)).toEqual(['search_mcp_tools']);
  const known = await registry.search({ query: 'find symbol', include: 'known' });
  expect(known.tools[0]).toMatchObject({ name: 'mcp__index__find_symbol', state: 'stopped' });
  expect((await registry.search({ query: '^find_', useRegex: true, include: 'known' })).total).toBe(2);
  expect((await registry.search({ query: '*', include: 'known' })).total).toBe(3);
  expect((await registry.search({ query: '*' })).total).toBe(1);
  expect(registry.get('mcp__index__find_symbol')).toMatchObject({ server: 'index', state: 'stopped' });
  await expect(registry.call('mcp__index__find_symbol')).rejects.toBe(failure);
});

test('a start adds the tools to the list, a stop removes them, and both are events', async () => {
  const registry = createRegistry();
  const changes: unknown[] = [];
  registry.events.on('tools-changed', ({ added, removed }) => changes.push({ added, removed }));
  const { source, move } = restingSource('index', ['find']);
  registry.attach(source);
  expect(changes).toEqual([]);
  move({ isUp: true });
  expect(namesIn(registry.list())).toEqual(['mcp__index__find', 'search_mcp_tools']);
  move({ isUp: false });
  expect(namesIn(registry.list())).toEqual(['search_mcp_tools']);
  expect(changes).toEqual([
    { added: ['mcp__index__find'], removed: [] },
    { added: [], removed: ['mcp__index__find'] },
  ]);
  const known = await registry.search({ query: 'find', include: 'known' });
  expect(namesIn(known.tools)).toContain('mcp__index__find');
});

test('a role finds only the known tools that it may use', async () => {
  const registry = createRegistry({ roles: [{ role: 'review', allowedTools: ['index.find'] }] });
  const { source } = restingSource('index', ['find', 'write']);
  registry.attach(source);
  const view = registry.view({ role: 'review' });
  const known = await view.search({ query: '*', include: 'known' });
  expect(namesIn(known.tools)).toEqual(['mcp__index__find', 'search_mcp_tools']);
  expect(view.get('mcp__index__write')).toBeUndefined();
  await expect(view.call('mcp__index__write')).rejects.toMatchObject({ code: 'unknown-tool' });
  registry.update({ roles: [{ role: 'review', allowedTools: ['index.write'] }] });
  const other = await view.search({ query: '*', include: 'known' });
  expect(namesIn(other.tools)).toEqual(['mcp__index__write', 'search_mcp_tools']);
});

test.each([[async () => []], [() => ({})], [() => 7]])(
  'known tools that are no list are a diagnostic',
  async (knownTools) => {
    const registry = createRegistry();
    await registry.attach({
      name: 'odd',
      listTools: () => [],
      callTool: async () => ({ content: [] }),
      knownTools,
    } as never).ready;
    expect(await registry.diagnostics()).toMatchObject([
      { code: 'listing-failed', message: expect.stringContaining('knownTools() must return a list') },
    ]);
  },
);
