import { createListSource, textOf, tool } from '@x/test-servers';
import { describe, expect, test, vi } from 'vitest';
import { createRegistry } from '../src/registry.js';
import { nextChange, settled } from './helpers/next-event.js';

describe('attach', () => {
  test('when an attachment is ready, its tools are in the registry under their public names', async () => {
    const registry = createRegistry();
    await registry.attach(createListSource('git', [tool('log'), tool('diff')])).ready;
    expect(registry.list().map(({ name }) => name)).toEqual(['mcp__git__diff', 'mcp__git__log', 'search_mcp_tools']);
    expect(registry.get('mcp__git__log')).toMatchObject({ server: 'git', tool: 'log', state: 'running' });
  });

  test('all fields of a source’s tool are kept unchanged', async () => {
    const registry = createRegistry();
    const whole = tool('log', {
      title: 'Log',
      inputSchema: { type: 'object', properties: { __proto__: { type: 'string' }, n: { 'x-odd': [1, null] } } },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, extra: 1 },
      icons: [{ src: 'data:,' }],
      _meta: { 'example.com/key': 'value' },
    });
    await registry.attach(createListSource('git', [whole])).ready;
    expect(registry.get('mcp__git__log')).toMatchObject({ ...whole, name: 'mcp__git__log' });
  });

  test('a second source of one name is refused, and accepted once the first is detached', async () => {
    const registry = createRegistry();
    const first = registry.attach(createListSource('git', [tool('log')]));
    expect(() => registry.attach(createListSource('git'))).toThrow(
      expect.objectContaining({ code: 'duplicate-source' }),
    );
    first[Symbol.dispose]();
    await registry.attach(createListSource('git', [tool('blame')])).ready;
    expect(registry.get('mcp__git__blame')).toBeDefined();
  });

  test('detaching removes the tools of that source, unsubscribes and does not stop the source', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('log')]);
    const attachment = registry.attach(source);
    await attachment.ready;
    const change = nextChange(registry);
    attachment[Symbol.dispose]();
    attachment[Symbol.dispose]();
    expect(await change).toMatchObject({ added: [], removed: ['mcp__git__log'], changed: [] });
    expect(source.listeners).toBe(0);
  });

  test('detaching during a listing drops its result', async () => {
    const registry = createRegistry();
    const source = createListSource('git');
    let answer = (_tools: readonly unknown[]) => {};
    source.answerWith(() => new Promise((resolve) => (answer = resolve)));
    const attachment = registry.attach(source);
    attachment[Symbol.dispose]();
    answer([tool('log')]);
    await attachment.ready;
    expect(registry.list()).toHaveLength(1);
    expect(await registry.diagnostics()).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is an ordinary name', async (name) => {
    const registry = createRegistry({ roles: [{ role: name, allowedTools: [name] }] });
    await registry.attach(createListSource(name, [tool(name)])).ready;
    const [view] = registry.list().filter(({ server }) => server === name);
    expect(view).toMatchObject({ server: name, tool: name });
    expect(textOf(await registry.view({ role: name }).call(String(view?.name)))).toBe(`${name} ran ${name}`);
    expect(registry.get(name)).toBeUndefined();
  });

  test('a name that is not a string is refused', () => {
    expect(() => createRegistry().attach(createListSource(''))).toThrow(/source\.name/);
  });
});

describe('register', () => {
  test('a native tool keeps its own name and belongs to no server', () => {
    const registry = createRegistry();
    registry.register({ name: 'read_notes', description: 'Reads notes' }, () => 'a note');
    expect(registry.get('read_notes')).toEqual({
      name: 'read_notes',
      server: undefined,
      tool: 'read_notes',
      description: 'Reads notes',
      inputSchema: { type: 'object' },
      state: 'running',
    });
  });

  test.each(['', 'mcp__git__log', 'with space', 'a'.repeat(65), 'umlaut_ä'])('the name %j is refused', (name) => {
    expect(() => createRegistry().register({ name, description: '' }, () => '')).toThrow(TypeError);
  });

  test.each([
    ['description', { name: 'a', description: 1 }],
    ['title', { name: 'a', description: '', title: 1 }],
    ['inputSchema', { name: 'a', description: '', inputSchema: [] }],
    ['inputSchema', { name: 'a', description: '', inputSchema: { type: 'string' } }],
    ['z.toJSONSchema', { name: 'a', description: '', inputSchema: { '~standard': {} } }],
    ['outputSchema', { name: 'a', description: '', outputSchema: 1 }],
    ['annotations', { name: 'a', description: '', annotations: 1 }],
    ['keywords', { name: 'a', description: '', keywords: [1] }],
  ])('a definition that is wrong is refused with the name of the field: %s', (field, definition) => {
    expect(() => createRegistry().register(definition as never, () => '')).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(field) }),
    );
  });

  test('a name that is taken is refused until its tool is disposed', () => {
    const registry = createRegistry();
    const first = registry.register({ name: 'a', description: '' }, () => '');
    expect(() => registry.register({ name: 'a', description: '' }, () => '')).toThrow(
      expect.objectContaining({ code: 'duplicate-tool', tool: 'a' }),
    );
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    registry.register({ name: 'a', description: '' }, () => '');
    expect(() => registry.register({ name: 'search_mcp_tools', description: '' }, () => '')).toThrow(
      expect.objectContaining({ code: 'duplicate-tool' }),
    );
  });
});

describe('snapshots and events', () => {
  test('one event per swap says what changed, when reads already show it', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('log'), tool('diff')]);
    await registry.attach(source).ready;
    const before = registry.revision;
    const change = new Promise((resolve) => {
      registry.events.on('tools-changed', (event) =>
        resolve([event, registry.revision, registry.get('mcp__git__new')]),
      );
    });
    source.offer([tool('new'), tool('diff', { description: 'other' })]);
    expect(await change).toEqual([
      { revision: before + 1, added: ['mcp__git__new'], removed: ['mcp__git__log'], changed: ['mcp__git__diff'] },
      before + 1,
      expect.objectContaining({ tool: 'new' }),
    ]);
  });

  test('a list that was read never changes', async () => {
    const registry = createRegistry();
    const offered = [tool('log')];
    const source = createListSource('git', offered);
    await registry.attach(source).ready;
    const list = registry.list();
    const change = nextChange(registry);
    offered[0] = { ...tool('log'), description: 'other' };
    source.announce();
    await change;
    expect(list[0]?.description).toBe('Does log');
    expect(Object.isFrozen(list) && Object.isFrozen(list[0]) && Object.isFrozen(list[0]?.inputSchema)).toBe(true);
  });

  test('a listing with another order of keys is no change', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [{ name: 'log', inputSchema: { type: 'object', a: 1 } }]);
    await registry.attach(source).ready;
    const listener = vi.fn();
    registry.events.on('tools-changed', listener);
    const [revision, list] = [registry.revision, registry.list()];
    source.offer([{ inputSchema: { a: 1, type: 'object' }, name: 'log' }]);
    await settled();
    expect(source.listings).toBe(2);
    expect(listener).not.toHaveBeenCalled();
    expect([registry.revision, registry.list()]).toEqual([revision, list]);
    expect(registry.list()).toBe(list);
  });

  test('a state that changes reads as changed tools', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('log')]);
    await registry.attach(source).ready;
    const change = nextChange(registry);
    source.state = 'stopped';
    source.announce();
    expect((await change).changed).toEqual(['mcp__git__log']);
    expect(registry.get('mcp__git__log')?.state).toBe('stopped');
  });

  test('events that a listener causes reach all listeners after the event that caused them', () => {
    const registry = createRegistry();
    const seen: number[] = [];
    registry.events.on('tools-changed', ({ added }) => {
      if (added[0] === 'first') registry.register({ name: 'second', description: '' }, () => '');
    });
    registry.events.on('tools-changed', ({ revision }) => seen.push(revision));
    const start = registry.revision;
    registry.register({ name: 'first', description: '' }, () => '');
    expect(seen).toEqual([start + 1, start + 2]);
  });
});

describe('changes', () => {
  test('changes between two steps are not lost', async () => {
    const registry = createRegistry();
    const changes = registry.changes();
    registry.register({ name: 'a', description: '' }, () => '');
    registry.register({ name: 'b', description: '' }, () => '');
    const added: string[] = [];
    for await (const change of changes) {
      added.push(...change.added);
      if (added.length === 2) registry.register({ name: 'c', description: '' }, () => '');
      if (added.length === 3) break;
    }
    expect(added).toEqual(['a', 'b', 'c']);
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  test('an iteration ends without an error when its signal aborts', async () => {
    const registry = createRegistry();
    const controller = new AbortController();
    const waiting = registry.changes({ signal: controller.signal }).next();
    controller.abort(new Error('enough'));
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await registry.changes({ signal: controller.signal }).next()).toMatchObject({ done: true });
  });

  test('an iteration ends when the registry closes, after queued changes', async () => {
    const registry = createRegistry();
    const changes = registry.changes();
    registry.register({ name: 'a', description: '' }, () => '');
    await registry.close();
    expect(await changes.next()).toMatchObject({ done: false, value: { added: ['a'] } });
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    expect(await registry.changes().next()).toMatchObject({ done: true });
  });
});

describe('close', () => {
  test('a closed registry releases its sources and refuses new work', async () => {
    const source = createListSource('git', [tool('log')]);
    const registry = createRegistry();
    await registry.attach(source).ready;
    await registry.close();
    await registry.close();
    expect(source.listeners).toBe(0);
    expect(registry.get('mcp__git__log')).toBeDefined();
    const closed = expect.objectContaining({ code: 'closed' });
    expect(() => registry.attach(createListSource('other'))).toThrow(closed);
    expect(() => registry.register({ name: 'a', description: '' }, () => '')).toThrow(closed);
    await expect(registry.search({ query: 'log' })).rejects.toEqual(closed);
    await expect(registry.call('mcp__git__log')).rejects.toEqual(closed);
  });

  test('closing ends the calls in progress with an error', async () => {
    const registry = createRegistry();
    let told: AbortSignal | undefined;
    registry.register({ name: 'forever', description: '' }, (_, { signal }) => {
      told = signal;
      return new Promise(() => {});
    });
    const call = registry.call('forever');
    await registry.close();
    await expect(call).rejects.toMatchObject({ code: 'closed' });
    expect(told?.aborted).toBe(true);
  });

  test('await using closes', async () => {
    let registry: ReturnType<typeof createRegistry>;
    {
      await using scoped = createRegistry();
      registry = scoped;
    }
    await expect(registry.search({ query: '' })).rejects.toMatchObject({ code: 'closed' });
  });
});

test.each([
  [{ role: [{ role: 'dev', allowedTools: [] }] }, 'role is not an option; did you mean roles?'],
  [{ redacts: () => 'x' }, 'redacts is not an option; did you mean redact?'],
  [{ validateArguments: 'no' }, 'validateArguments must be true or false, got "no"'],
])('an option that is misspelt or of another type is an error: %j', (options, message) => {
  expect(() => createRegistry(options as never)).toThrow(new TypeError(message));
});
