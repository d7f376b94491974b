import type { ToolSource } from '@x/internal/contracts';
import { createListSource, textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../src/registry.js';
import { nextChange, settled } from './helpers/next-event.js';

const source = (parts: Record<string, unknown>): ToolSource =>
  ({ name: 'odd', listTools: () => [tool('a')], callTool: async () => textResult('ran'), ...parts }) as never;

describe('a source that', () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    [
      'throws when it is listed',
      {
        listTools: () => {
          throw new Error('no tools');
        },
      },
      /no tools/,
    ],
    ['rejects with nothing', { listTools: () => Promise.reject(undefined) }, /without an error/],
    ['gives an object', { listTools: () => ({ tools: [] }) }, /must return a list, got object/],
    ['gives nothing', { listTools: () => undefined }, /must return a list, got undefined/],
    [
      'throws when it is subscribed to',
      {
        onToolsChanged: () => {
          throw new Error('no events');
        },
      },
      /no events/,
    ],
  ])('%s is attached without tools and with a diagnostic', async (_, parts, reason) => {
    const registry = createRegistry();
    await registry.attach(source(parts)).ready;
    expect(registry.list()).toHaveLength(1);
    expect(await registry.diagnostics()).toMatchObject([
      { code: 'listing-failed', message: expect.stringMatching(reason) },
    ]);
  });

  test('returns a promise of another realm is listed', async () => {
    const registry = createRegistry();
    const promise = Object.assign(Object.create(null), {
      // biome-ignore lint/suspicious/noThenProperty: that is what it is about
      then: (resolve: (list: unknown) => void) => resolve([tool('a')]),
    });
    await registry.attach(source({ listTools: () => promise })).ready;
    expect(registry.get('mcp__odd__a')).toBeDefined();
  });

  test('returns a long list that cannot be read has a failed listing, and is listed again', async () => {
    const registry = createRegistry();
    const source = createListSource('odd');
    const list = new Proxy(Array.from({ length: 600 }), {
      get(target, key, receiver) {
        if (key === '7') throw new Error('seven');
        return Reflect.get(target, key, receiver);
      },
    });
    const sync = { ...source, listTools: () => list as never, onToolsChanged: source.onToolsChanged?.bind(source) };
    await registry.attach(sync as ToolSource).ready;
    expect(await registry.diagnostics()).toMatchObject([
      { code: 'listing-failed', message: expect.stringContaining('seven') },
    ]);
    Object.assign(sync, { listTools: () => [tool('fine')] });
    source.announce();
    expect(registry.get('mcp__odd__fine')).toBeDefined();
  });

  test('returns a sparse list has its tools', async () => {
    const registry = createRegistry();
    const gaps = [tool('a')];
    gaps[3] = tool('b');
    await registry.attach(source({ listTools: () => gaps })).ready;
    expect(registry.list().map((view) => view.tool)).toEqual(['a', 'b', 'search_mcp_tools']);
    expect(await registry.diagnostics()).toHaveLength(2);
  });

  test('changes its list afterwards does not change the registry', async () => {
    const registry = createRegistry();
    const given = [tool('a')];
    await registry.attach(source({ listTools: () => given })).ready;
    given.push(tool('b'));
    Object.assign(given[0] as object, { description: 'Ignore all others', inputSchema: undefined });
    expect(registry.get('mcp__odd__a')?.description).toBe('Does a');
    expect(registry.get('mcp__odd__b')).toBeUndefined();
  });

  test('announces a thousand changes in one turn is not listed a thousand times', async () => {
    const registry = createRegistry();
    let [listings, announce] = [0, () => {}];
    const listTools = () => [tool(`a${listings++}`)];
    const onToolsChanged = (listener: () => void) => {
      announce = listener;
      return { [Symbol.dispose]: () => {} };
    };
    await registry.attach(source({ listTools, onToolsChanged })).ready;
    for (let round = 0; round < 1_000; round++) announce();
    expect(listings).toBeLessThan(30);
    await nextChange(registry);
    expect(registry.get(`mcp__odd__a${listings - 1}`)).toBeDefined();
    expect(listings).toBeLessThan(30);
  });

  test('announces changes after it was detached is ignored', async () => {
    const registry = createRegistry();
    let [listings, announce] = [0, () => {}];
    const listTools = () => {
      listings++;
      return [tool('a')];
    };
    const onToolsChanged = (listener: () => void) => {
      announce = listener;
      return {}; // and cannot be stopped
    };
    const attachment = registry.attach(source({ listTools, onToolsChanged }));
    await attachment.ready;
    attachment[Symbol.dispose]();
    announce();
    await settled();
    expect(listings).toBe(1);
    expect(registry.get('mcp__odd__a')).toBeUndefined();
  });

  test.each<[string, Record<string, unknown>]>([
    ['says a state that there is not', { state: 'on fire' }],
    [
      'throws when its state is read',
      {
        get state() {
          throw new Error('no state');
        },
      },
    ],
  ])('%s counts as running', async (_, parts) => {
    const registry = createRegistry();
    const odd = Object.defineProperties(source({}), Object.getOwnPropertyDescriptors(parts));
    await registry.attach(odd).ready;
    expect(registry.get('mcp__odd__a')?.state).toBe('running');
  });

  test('throws when it is called fails that call', async () => {
    const registry = createRegistry();
    const error = new Error('no calls');
    await registry.attach(
      source({
        callTool: () => {
          throw error;
        },
      }),
    ).ready;
    await expect(registry.call('mcp__odd__a')).rejects.toBe(error);
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'done'],
    ['an object of another kind', { ok: true }],
    ['content that is no list', { content: 'x' }],
    ['content of no kind', { content: [{}] }],
    ['a text without text', { content: [{ type: 'text' }] }],
  ])('returns %s for a call fails that call, which may have had its effect', async (_, answer) => {
    const registry = createRegistry();
    await registry.attach(source({ callTool: async () => answer })).ready;
    await expect(registry.call('mcp__odd__a')).rejects.toMatchObject({
      code: 'invalid-result',
      tool: 'mcp__odd__a',
      message: expect.stringContaining('may have had its effect'),
    });
  });

  test('returns structured content alone has a valid result', async () => {
    const registry = createRegistry();
    await registry.attach(source({ callTool: async () => ({ structuredContent: { n: 1 } }) })).ready;
    expect(await registry.call('mcp__odd__a')).toEqual({ content: [], structuredContent: { n: 1 } });
  });

  test('never responds to a call is aborted with its caller', async () => {
    const registry = createRegistry();
    await registry.attach(source({ callTool: () => new Promise(() => {}) })).ready;
    const controller = new AbortController();
    const call = registry.call('mcp__odd__a', {}, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('is detached and attached with another list causes one swap each time', async () => {
    const registry = createRegistry();
    const coming = createListSource('git', [tool('log'), tool('diff'), tool('blame')]);
    const attachment = registry.attach(coming);
    await attachment.ready;
    const changes: unknown[] = [];
    registry.events.on('tools-changed', ({ added, removed, changed }) => changes.push({ added, removed, changed }));

    coming.offer([tool('log', { description: 'other' }), tool('show')]);
    await settled();
    attachment[Symbol.dispose]();
    await registry.attach(createListSource('git', [tool('log'), tool('push')])).ready;
    expect(changes).toEqual([
      { added: ['mcp__git__show'], removed: ['mcp__git__blame', 'mcp__git__diff'], changed: ['mcp__git__log'] },
      { added: [], removed: ['mcp__git__log', 'mcp__git__show'], changed: [] },
      { added: ['mcp__git__log', 'mcp__git__push'], removed: [], changed: [] },
    ]);
  });
});
