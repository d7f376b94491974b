import { createRegistry } from '@x/mcp-registry';
import { openCodeRunner } from '@x/mcp-registry/code';
import { limitResults } from '@x/mcp-registry/interceptors';
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

test('the reader of long results is listed for those that may use it, in any order of listings', async () => {
  const roles = [
    { role: 'reader', allowedTools: ['files'] },
    { role: 'other', allowedTools: ['files'], deniedTools: ['read_mcp_result'] },
  ];
  for (const first of ['reader', 'other']) {
    const registry = createRegistry({ interceptors: [limitResults()], roles });
    await registry.attach(createListSource('files', [tool('get')])).ready;
    const listed = (role: string) => {
      const view = createSurface(registry.view({ role }), { ...plain, surface: 'search', maxListedTools: 50 });
      return view.list().map(({ name }) => name);
    };
    listed(first);
    expect(listed('reader')).toEqual(['call_mcp_tool', 'read_mcp_result', 'search_mcp_tools']);
    expect(listed('other')).toEqual(['call_mcp_tool', 'search_mcp_tools']);
  }
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

const instructive = { ...plain, instructionsInSearch: true, maxListedTools: 1 };

test('a list with programs has the instructions of its own role only', async () => {
  await using code = await openCodeRunner();
  const roles = ['web', 'mail'].map((server) => ({ role: server, allowedTools: [server] }));
  await using registry = createRegistry({ roles });
  for (const { role } of roles) {
    await registry.attach({ ...createListSource(role, [tool('get')]), instructions: `About ${role}.` }).ready;
  }
  const listedTo = (role: string) => {
    const view = createSurface(registry.view({ role }), { ...instructive, surface: 'search', code });
    expect(view.list()).toBe(view.list());
    return view.list().map(({ name, description }) => `${name}: ${description}`);
  };
  for (const [role, other] of [
    ['web', 'mail'],
    ['mail', 'web'],
  ] as const) {
    const text = listedTo(role).join();
    expect(text).toContain(`About ${role}.`);
    expect(text).toContain('execute_mcp_code: ');
    expect(text).not.toContain(`About ${other}.`);
  }
});

test.each(['full', 'search', 'auto'] as const)(
  'with the surface %s, a client is notified of changed instructions in the search tool',
  async (surface) => {
    await using registry = createRegistry({ trust: 'approve' });
    const source = Object.assign(createListSource('web', [tool('get')]), { instructions: 'Search first.' });
    await registry.attach(source).ready;
    const approve = async () => registry.pins.approve(await registry.pins.list({ server: 'web' }));
    await approve();
    const view = createSurface(registry, { ...instructive, surface });
    const searchTool = () => view.list().find(({ name }) => name === 'search_mcp_tools')?.description;
    let changes = 0;
    using _ = watchListing(view, () => changes++);
    expect(searchTool()).toContain('Search first.');

    const nextState = async (state: typeof source.state) => {
      const seen = new Promise<void>((resolve) => registry.events.on('tools-changed', () => resolve()));
      source.state = state;
      source.announce();
      await seen;
    };
    await nextState('degraded');
    expect(changes).toBe(0);
    source.instructions = 'Search twice.';
    await nextState('running');
    expect(searchTool()).not.toContain('> Search');
    expect(changes).toBe(1);

    await approve();
    expect(searchTool()).toContain('> Search twice.');
    expect(changes).toBe(2);
  },
);

test.each(['search', 'auto'] as const)('surface %s says with one word why a server lists nothing', async (surface) => {
  const registry = createRegistry();
  const failed = {
    name: 'files',
    state: 'failed' as const,
    lastError: 'its stderr ends with "password hunter2 at /srv/x"',
    listTools: () => Promise.reject(new Error('down')),
    callTool: async () => ({ content: [] }),
  };
  await registry.attach(failed).ready.catch(() => undefined);
  await expect(registry.call('mcp__files__read')).rejects.toThrow('hunter2');
  const view = createSurface(registry, { ...plain, surface, maxListedTools: 0 });
  await expect(view.call('mcp__files__read')).rejects.toThrow(
    'There is no tool named "mcp__files__read"; server "files" has not listed its tools: failed',
  );
  const { content } = await view
    .call('call_mcp_tool', { name: 'mcp__files__read' })
    .catch(({ message }) => ({ content: message }));
  expect(JSON.stringify(content)).not.toContain('hunter2');
});
