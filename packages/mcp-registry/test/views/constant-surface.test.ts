import { createListSource, textOf, textResult, tool } from '@x/test-servers';
import { describe, expect, test, vi } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import type { SearchResult } from '../../src/search/search-request.js';
import { createConstantSurface } from '../../src/views/constant-surface.js';
import type { RegistryView } from '../../src/views/view.js';

const roles = [
  { role: 'reader', allowedTools: ['files.read_*'] },
  { role: 'none', allowedTools: [] },
];

async function createFiles() {
  const registry = createRegistry({ roles });
  const source = createListSource('files', [tool('read_text'), tool('write_text')]);
  await registry.attach(source).ready;
  return { registry, source, surface: createConstantSurface(registry) };
}

const callBy = (surface: RegistryView, name: unknown, args?: unknown, more: object = {}) =>
  surface.call('call_mcp_tool', { name, ...(args === undefined ? {} : { arguments: args }), ...more });

const errorOf = (code: string, message: RegExp) => ({
  isError: true,
  structuredContent: { error: { code, message: expect.stringMatching(message) } },
});

describe('the listing of a constant surface', () => {
  test('is the pair, byte for byte the same for any registry', async () => {
    const { registry, source, surface } = await createFiles();
    const text = JSON.stringify(surface.list());
    expect(surface.list().map(({ name }) => name)).toEqual(['call_mcp_tool', 'search_mcp_tools']);
    source.offer([]);
    registry.register({ name: 'more', description: 'More' }, () => '');
    await new Promise((resolve) => setImmediate(resolve));
    const others = [createRegistry(), registry.view({ role: 'reader' })].map((view) => createConstantSurface(view));
    for (const other of [surface, ...others]) {
      expect(JSON.stringify(other.list())).toBe(text);
      expect(other.revision).toBe(surface.revision);
    }
  });

  test('contains the registry’s search tool', async () => {
    const { registry, surface } = await createFiles();
    expect(surface.list()[1]).toEqual(registry.get('search_mcp_tools'));
    expect(surface.get('call_mcp_tool')).toBe(surface.list()[0]);
  });

  test('is not part of the registry’s own listing', async () => {
    const { registry } = await createFiles();
    expect(registry.get('call_mcp_tool')).toBeUndefined();
    await expect(registry.call('call_mcp_tool', { name: 'x' })).rejects.toMatchObject({ code: 'unknown-tool' });
    const { tools } = await registry.search({ query: '*' });
    expect(tools.map(({ name }) => name)).not.toContain('call_mcp_tool');
  });

  test('never changes, and changes() only ends', async () => {
    const { registry, surface } = await createFiles();
    const listener = vi.fn();
    surface.events.on('tools-changed', listener);
    const steps = surface.changes();
    const step = steps.next();
    registry.register({ name: 'more', description: 'More' }, () => '');
    await registry.close();
    expect(await step).toEqual({ done: true, value: undefined });
    expect(listener).not.toHaveBeenCalled();
    const left = createConstantSurface(createRegistry()).changes();
    await left.return?.();
    expect(await left.next()).toMatchObject({ done: true });
  });
});

describe('call_mcp_tool', () => {
  test('runs the tool with its arguments and returns its result unchanged', async () => {
    const result = { content: [{ type: 'x', any: 1 }], structuredContent: { a: 1 }, _meta: { m: 1 }, isError: true };
    const registry = createRegistry();
    const source = createListSource('files', [tool('read')], async () => result);
    await registry.attach(source).ready;
    const surface = createConstantSurface(registry);
    expect(await callBy(surface, 'mcp__files__read', { path: 'x' })).toBe(result);
    expect(await callBy(surface, 'mcp__files__read')).toBe(result);
    expect(await callBy(surface, 'mcp__files__read', null)).toBe(result);
    expect(source.calls.map(({ args }) => args)).toEqual([{ path: 'x' }, {}, {}]);
  });

  test('runs a tool that the search found', async () => {
    const { surface } = await createFiles();
    const found = await surface.call('search_mcp_tools', { query: 'read text' });
    const [hit] = (found.structuredContent as SearchResult).tools;
    expect(textOf(await callBy(surface, hit?.name))).toBe('files ran read_text');
  });

  test('passes signal, time and progress on', async () => {
    const registry = createRegistry();
    const source = createListSource('files', [tool('read')], async (_tool, _args, { onProgress }) => {
      onProgress?.({ progress: 1 });
      return textResult('done');
    });
    await registry.attach(source).ready;
    const onProgress = vi.fn();
    const controller = new AbortController();
    const options = { signal: controller.signal, timeoutMs: 5_000, onProgress };
    await createConstantSurface(registry).call('call_mcp_tool', { name: 'mcp__files__read' }, options);
    expect(onProgress).toHaveBeenCalledWith({ progress: 1 });
    expect(source.calls[0]?.options.timeoutMs).toBe(5_000);

    source.offer([tool('wait')]);
    registry.register({ name: 'wait', description: '' }, () => new Promise(() => {}));
    const call = createConstantSurface(registry).call('call_mcp_tool', { name: 'wait' }, options);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('fails with the original error of a source', async () => {
    const registry = createRegistry();
    const error = Object.assign(new Error('gone'), { code: 'connection-lost' });
    await registry.attach(createListSource('files', [tool('read')], () => Promise.reject(error))).ready;
    await expect(callBy(createConstantSurface(registry), 'mcp__files__read')).rejects.toBe(error);
  });

  test('reports an unknown name to the model, with similar ones', async () => {
    const { surface } = await createFiles();
    const result = await callBy(surface, 'mcp__files__raed_text');
    expect(result).toMatchObject(errorOf('unknown-tool', /no tool named "mcp__files__raed_text"/));
    expect(result.structuredContent).toMatchObject({
      error: { suggestions: expect.arrayContaining(['mcp__files__read_text']) },
    });
    expect(textOf(result)).toMatch(
      /^There is no tool named "mcp__files__raed_text"; did you mean mcp__files__read_text,/,
    );
  });

  test('refuses arguments that do not fit with what the tool takes, so that a second try is right', async () => {
    const registry = createRegistry();
    const nested = { type: 'object', properties: { from: { type: 'string' } }, required: ['from'] };
    const optional = Array.from({ length: 9 }, (_, at) => [`optional_argument_${at}`, { type: 'string' }]);
    const inputSchema = {
      type: 'object',
      properties: { ...Object.fromEntries(optional), ranges: { type: 'array', items: nested } },
      required: ['ranges'],
    };
    const source = createListSource('files', [tool('read', { inputSchema })]);
    await registry.attach(source).ready;
    const result = await callBy(createConstantSurface(registry), 'mcp__files__read', { ranges: 'all' });
    expect(result).toMatchObject(errorOf('invalid-arguments', /do not fit/));
    const names = optional.map(([name]) => `${name}?: string`).join(', ');
    expect(textOf(result).split('\n').at(-1)).toBe(`It takes (ranges: { from: string }[], ${names})`);
    expect(source.calls).toEqual([]);
  });

  test.each<[string, unknown, RegExp]>([
    ['no name', {}, /needs "name"/],
    ['a name that is no text', { name: 1 }, /needs "name"/],
    ['arguments as text', { name: 'mcp__files__read_text', arguments: '{}' }, /as an object, not as a string/],
    ['arguments as a list', { name: 'mcp__files__read_text', arguments: [] }, /not as a list/],
    ['arguments beside it', { name: 'mcp__files__read_text', path: 'x' }, /got "path".*belongs into "arguments"/],
    ['nothing', null, /takes an object/],
  ])('refuses %s and runs nothing', async (_, args, message) => {
    const { surface, source } = await createFiles();
    expect(await surface.call('call_mcp_tool', args as never)).toMatchObject(errorOf('invalid-arguments', message));
    expect(source.calls).toEqual([]);
  });

  test('calls neither itself nor the search, however they are written and nested', async () => {
    const { surface, source } = await createFiles();
    const inner = { name: 'mcp__files__read_text' };
    for (const name of ['call_mcp_tool', 'CALL_MCP_TOOL', ' call_mcp_tool\n']) {
      expect(await callBy(surface, name, inner)).toMatchObject(errorOf('invalid-arguments', /does not call itself/));
      expect(await callBy(surface, 'call_mcp_tool', { name, arguments: inner })).toMatchObject({ isError: true });
    }
    for (const name of ['search_mcp_tools', 'Search_MCP_Tools', '\tsearch_mcp_tools']) {
      expect(await callBy(surface, name, { query: 'x' })).toMatchObject(errorOf('invalid-arguments', /directly/));
    }
    const twice = createConstantSurface(surface);
    expect(await callBy(twice, 'call_mcp_tool', inner)).toMatchObject({ isError: true });
    expect(source.calls).toEqual([]);
  });

  test('a tool of a source that has the same name is another tool', async () => {
    const registry = createRegistry();
    await registry.attach(createListSource('up', [tool('call_mcp_tool'), tool('search_mcp_tools')])).ready;
    const surface = createConstantSurface(registry);
    expect(textOf(await callBy(surface, 'mcp__up__call_mcp_tool'))).toBe('up ran call_mcp_tool');
    expect(textOf(await callBy(surface, 'mcp__up__search_mcp_tools'))).toBe('up ran search_mcp_tools');
  });
});

describe('the surface of a role', () => {
  test('runs what the role may use; what it may not use looks like what does not exist', async () => {
    const { registry, source } = await createFiles();
    const surface = createConstantSurface(registry.view({ role: 'reader' }));
    expect(textOf(await callBy(surface, 'mcp__files__read_text'))).toBe('files ran read_text');

    const forbidden = 'mcp__files__write_text';
    const bare = createRegistry({ roles });
    await bare.attach(createListSource('files', [tool('read_text')])).ready;
    const without = createConstantSurface(bare.view({ role: 'reader' }));
    expect(await callBy(surface, forbidden)).toEqual(await callBy(without, forbidden));
    expect(surface.get(forbidden)).toBeUndefined();
    await expect(surface.call(forbidden)).rejects.toMatchObject({ code: 'unknown-tool' });
    const { tools } = await surface.search({ query: 'write text' });
    expect(tools.map(({ name }) => name)).not.toContain(forbidden);
    expect(source.calls.map((call) => call.tool)).toEqual(['read_text']);
  });

  test.each(['none', 'unknown'])('that may use nothing (%s) is empty', async (role) => {
    const { registry } = await createFiles();
    const surface = createConstantSurface(registry.view({ role }));
    expect(surface.list()).toEqual([]);
    expect(surface.get('call_mcp_tool')).toBeUndefined();
    await expect(surface.call('search_mcp_tools', { query: '*' })).rejects.toMatchObject({ code: 'unknown-tool' });
    await expect(callBy(surface, 'mcp__files__read_text')).rejects.toMatchObject({
      code: 'unknown-tool',
      tool: 'call_mcp_tool',
      suggestions: [],
    });
  });
});

test('a host app cannot take the names of the pair', async () => {
  for (const name of ['call_mcp_tool', 'search_mcp_tools']) {
    expect(() => createRegistry().register({ name, description: '' }, () => '')).toThrow();
  }
});
