import type { SourceTool, ToolSource } from '@x/internal/contracts';
import { createListSource, textResult, tool } from '@x/test-servers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { nextChange, settled } from '../helpers/next-event.js';

afterEach(() => {
  vi.useRealTimers();
});

/** A source whose listings wait until the test answers them. */
function createHeldSource() {
  const source = createListSource('held');
  const waiting: ((tools: readonly unknown[]) => void)[] = [];
  let onListing = () => {};
  source.answerWith(
    () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        onListing();
      }),
  );
  return {
    source,
    waiting,
    nextListing: () => new Promise<void>((resolve) => (onListing = resolve)),
  };
}

describe('results without a promise', () => {
  function directSource(listTools: () => readonly SourceTool[]) {
    const listeners = new Set<() => void>();
    let listings = 0;
    const source: ToolSource = {
      name: 'direct',
      listTools: () => {
        listings += 1;
        return listTools();
      },
      callTool: async () => ({ content: [] }),
      onToolsChanged: (listener) => {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    };
    const announce = () => {
      for (const listener of listeners) listener();
    };
    return { source, announce, listings: () => listings };
  }

  test('are in the registry as soon as the source is attached and as soon as a change is announced', () => {
    let tools = [tool('a')];
    const registry = createRegistry();
    const { source, announce } = directSource(() => tools);
    registry.attach(source);
    expect(registry.get('mcp__direct__a')).toBeDefined();
    tools = [tool('b')];
    announce();
    expect(registry.get('mcp__direct__a')).toBeUndefined();
    expect(registry.get('mcp__direct__b')).toBeDefined();
  });

  test('are read again even from the same array, unless it is frozen', () => {
    const tools = [tool('a')];
    const registry = createRegistry();
    const { source, announce } = directSource(() => tools);
    registry.attach(source);
    tools.push(tool('b'));
    announce();
    expect(registry.get('mcp__direct__b')).toBeDefined();
  });

  test('a source that announces a change while it is listed is listed once more, later', async () => {
    const registry = createRegistry();
    const direct = directSource(() => {
      if (direct.listings() < 3) direct.announce();
      return [tool(`t${direct.listings()}`)];
    });
    registry.attach(direct.source);
    expect(direct.listings()).toBe(1);
    const change = await nextChange(registry);
    expect(change.added).toEqual(['mcp__direct__t2']);
  });

  test('a failure is a diagnostic and leaves the tools unchanged', async () => {
    let answer = (): readonly SourceTool[] => [tool('a')];
    const registry = createRegistry();
    const { source, announce } = directSource(() => answer());
    registry.attach(source);
    answer = () => {
      throw new Error('out of order');
    };
    announce();
    expect(registry.get('mcp__direct__a')).toBeDefined();
    expect(await registry.diagnostics()).toMatchObject([{ code: 'listing-failed', server: 'direct' }]);
  });
});

describe('listing again', () => {
  test('any number of changes during a listing causes one more listing', async () => {
    const registry = createRegistry();
    const { source, waiting, nextListing } = createHeldSource();
    const attachment = registry.attach(source);
    for (let index = 0; index < 20; index++) source.announce();
    expect(source.listings).toBe(1);
    const again = nextListing();
    waiting[0]?.([tool('old')]);
    await attachment.ready;
    await again;
    const change = nextChange(registry);
    waiting[1]?.([tool('new')]);
    expect(await change).toMatchObject({ added: ['mcp__held__new'], removed: ['mcp__held__old'] });
    expect(source.listings).toBe(2);
  });

  test('a source that announces a change with each listing does not block other work', async () => {
    const registry = createRegistry();
    const source = createListSource('restless');
    let onSixth = () => {};
    const sixth = new Promise<void>((resolve) => (onSixth = resolve));
    source.answerWith(async () => {
      source.announce();
      if (source.listings === 6) onSixth();
      return [tool('a')];
    });
    const attachment = registry.attach(source);
    await attachment.ready;
    await sixth;
    attachment[Symbol.dispose]();
    expect(registry.get('mcp__restless__a')).toBeUndefined();
  });
});

test('a source that announces a change while it is subscribed to is ready with its tools', async () => {
  const registry = createRegistry();
  const source = createListSource('eager', [tool('a')]);
  const attachment = registry.attach({
    name: 'eager',
    listTools: (options) => source.listTools(options),
    callTool: (...call) => source.callTool(...call),
    onToolsChanged(listener) {
      listener();
      return { [Symbol.dispose]: () => {} };
    },
  });
  await attachment.ready;
  expect(registry.get('mcp__eager__a')).toBeDefined();
  expect(source.listings).toBe(1);
});

describe('a listing that fails', () => {
  test.each([
    ['rejects', async () => Promise.reject(new Error('no connection')), /no connection/],
    ['rejects with no error', async () => Promise.reject(Object.create(null)), /without an error/],
    ['returns a value that is not a list', async () => 'tools' as never, /must return a list/],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      /broken/,
    ],
  ])('keeps the previous tools and reports a diagnostic when it %s', async (_, answer, message) => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('log')]);
    await registry.attach(source).ready;
    source.answerWith(answer);
    source.announce();
    await settled();
    expect(await registry.diagnostics()).toEqual([
      { code: 'listing-failed', server: 'git', cause: expect.anything(), message: expect.stringMatching(message) },
    ]);
    expect(registry.get('mcp__git__log')).toBeDefined();

    const change = nextChange(registry);
    source.answerWith(undefined);
    source.offer([tool('diff')]);
    await change;
    expect(await registry.diagnostics()).toEqual([]);
  });

  test('still updates the state of its source', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('log')]);
    await registry.attach(source).ready;
    const change = nextChange(registry);
    source.state = 'failed';
    source.answerWith(async () => Promise.reject(new Error('no connection')));
    source.announce();
    expect((await change).changed).toEqual(['mcp__git__log']);
    expect(registry.get('mcp__git__log')?.state).toBe('failed');
  });

  test('still resolves the attachment’s ready promise', async () => {
    const registry = createRegistry();
    const source = createListSource('git');
    source.answerWith(async () => Promise.reject(new Error('no connection')));
    await registry.attach(source).ready;
    expect(await registry.diagnostics()).toHaveLength(1);
  });

  test('includes one without a response', async () => {
    vi.useFakeTimers();
    const registry = createRegistry();
    const source = createListSource('silent');
    let told: AbortSignal | undefined;
    source.answerWith((signal) => {
      told = signal;
      return new Promise(() => {});
    });
    const attachment = registry.attach(source);
    await vi.advanceTimersByTimeAsync(30_000);
    await attachment.ready;
    expect(told?.aborted).toBe(true);
    expect((await registry.diagnostics())[0]?.message).toMatch(/"silent".*30000 milliseconds/);
  });
});

describe('where a runtime allows neither timers nor signals yet', () => {
  const refuse = () => {
    throw new Error('not allowed within global scope');
  };
  const callTool = async () => textResult('done');

  test('a source can be attached, and is listed without them', async () => {
    const [timers, controllers] = [
      vi.spyOn(globalThis, 'setTimeout').mockImplementation(refuse),
      vi.spyOn(globalThis, 'AbortController').mockImplementation(refuse),
    ];
    const registry = createRegistry();
    registry.attach({ name: 'direct', callTool, listTools: () => [tool('a')] });
    const later = registry.attach({ name: 'later', callTool, listTools: async () => [tool('b')] });
    await later.ready;
    timers.mockRestore();
    controllers.mockRestore();
    expect(registry.list().map(({ name }) => name)).toEqual(['mcp__direct__a', 'mcp__later__b', 'search_mcp_tools']);
    expect(await registry.diagnostics()).toEqual([]);
  });

  test('the listing of a source that reads its signal fails', async () => {
    const controllers = vi.spyOn(globalThis, 'AbortController').mockImplementation(refuse);
    const registry = createRegistry();
    registry.attach({ name: 'direct', callTool, listTools: ({ signal }) => [tool(`aborted-${signal?.aborted}`)] });
    controllers.mockRestore();
    expect(await registry.diagnostics()).toMatchObject([{ code: 'listing-failed' }]);
  });
});
