import { createRegistry } from '@x/mcp-registry';
import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import type { RegistryView } from '../../src/registry.js';
import { createSurface } from '../../src/serving/surface.js';
import { watchListing } from '../../src/serving/tool-listing.js';

const plain = { maxInstructionCharacters: 4_000, instructionsInSearch: false, code: undefined };

function registryOf(...names: readonly string[]) {
  const registry = createRegistry();
  const tools = names.map((name) => registry.register({ name, description: '' }, () => `ran ${name}`));
  return { registry, tools };
}

test('auto lists every tool up to the limit, and notifies when that changes', async () => {
  const { registry, tools } = registryOf('a', 'b');
  const view = createSurface(registry, { ...plain, surface: 'auto', maxListedTools: 3 });
  const names = () => view.list().map(({ name }) => name);
  let changes = 0;
  watchListing(view, () => changes++);
  expect(names()).toEqual(['a', 'b', 'search_mcp_tools']);

  registry.register({ name: 'c', description: '' }, () => 'ran c');
  expect(names()).toEqual(['call_mcp_tool', 'search_mcp_tools']);
  expect(changes).toBe(1);
  registry.register({ name: 'd', description: '' }, () => 'ran d');
  expect(changes).toBe(1);

  // A client may still hold the listing before.
  expect(await view.call('a')).toMatchObject({ content: [{ text: 'ran a' }] });
  expect(await view.call('call_mcp_tool', { name: 'd' })).toMatchObject({ content: [{ text: 'ran d' }] });
  for (const tool of tools) tool[Symbol.dispose]();
  expect(names()).toEqual(['c', 'd', 'search_mcp_tools']);
  expect(changes).toBe(2);
});

test('following a listing leaves no audit event', () => {
  const events: string[] = [];
  const registry = createRegistry({ audit: ({ action }) => void events.push(action) });
  const following = watchListing(
    createSurface(registry, { ...plain, surface: 'auto', maxListedTools: 50 }),
    () => undefined,
  );
  registry.register({ name: 'a', description: '' }, () => '');
  following[Symbol.dispose]();
  expect(events).toEqual([]);
});

test.each(['search', 'auto'] as const)(
  'serves a view of another kind than a registry’s with the surface %s',
  async (surface) => {
    const { registry } = registryOf('a', 'b');
    const foreign: RegistryView = {
      list: () => registry.list(),
      get: (name) => registry.get(name),
      call: (...request) => registry.call(...request),
      events: { on: (name, listener) => registry.events.on(name, listener) },
    };
    const view = createSurface(foreign, { ...plain, surface, maxListedTools: 1 });
    expect(view.list().map(({ name }) => name)).toEqual(['call_mcp_tool', 'search_mcp_tools']);
    expect(await view.call('call_mcp_tool', { name: 'a' })).toMatchObject({ content: [{ text: 'ran a' }] });
    expect(await view.call('call_mcp_tool', { name: 'c' })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'unknown-tool' } },
    });
  },
);

test('the search tool has the instructions of servers where asked for', async () => {
  const { registry } = registryOf('a');
  await registry.attach({ ...createListSource('web', [tool('get')]), instructions: 'Search first.' }).ready;
  for (const surface of ['full', 'search', 'auto'] as const) {
    const told = (asked: boolean) => {
      const view = createSurface(registry, { ...plain, surface, maxListedTools: 1, instructionsInSearch: asked });
      const listed = view.list().find(({ name }) => name === 'search_mcp_tools');
      expect(view.get('search_mcp_tools')?.description).toBe(listed?.description);
      return listed?.description;
    };
    expect(told(true)).toMatch(/^Search tools: .*\n\nInstructions .*\n\n"web":\n> Search first\.$/s);
    expect(told(false)).not.toContain('Search first');
  }
});
