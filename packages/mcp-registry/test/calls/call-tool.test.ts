import { createListSource, textOf, textResult, tool } from '@x/test-servers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { NativeToolHandler } from '../../src/catalog/native-tool.js';
import { createRegistry } from '../../src/registry.js';

afterEach(() => {
  vi.useRealTimers();
});

function withNative(handler: NativeToolHandler) {
  const registry = createRegistry();
  registry.register({ name: 'native', description: 'A native tool' }, handler);
  return registry;
}

describe('a call of a source', () => {
  test('reaches the source under the tool’s own name, with all options of the caller', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('log/all')]);
    await registry.attach(source).ready;
    const [name = ''] = registry.list().map((view) => view.name);
    const onProgress = vi.fn();
    const meta = { traceparent: '00-1-2-01' };
    expect(textOf(await registry.call(name, { n: 3 }, { timeoutMs: 5_000, onProgress, meta }))).toBe('git ran log/all');
    const [call] = source.calls;
    expect(call).toMatchObject({ tool: 'log/all', args: { n: 3 }, options: { timeoutMs: 5_000, meta } });
    call?.options.onProgress?.({ progress: 1 });
    expect(onProgress, 'progress after the result').not.toHaveBeenCalled();
  });

  test('omits options that the caller omitted, so that the source’s defaults apply', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('log')]);
    await registry.attach(source).ready;
    await registry.call('mcp__git__log');
    expect(source.calls).toEqual([{ tool: 'log', args: {}, options: { signal: expect.any(AbortSignal) } }]);
  });

  test('reports progress while it runs', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('log')], async (_tool, _args, { onProgress }) => {
      onProgress?.({ progress: 1, total: 2, message: 'half' });
      return textResult('done');
    });
    await registry.attach(source).ready;
    const seen: unknown[] = [];
    await registry.call('mcp__git__log', {}, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  test('fails with the original error of the source', async () => {
    const registry = createRegistry();
    const error = Object.assign(new Error('gone'), { code: 'outcome-unknown' });
    await registry.attach(createListSource('git', [tool('log')], () => Promise.reject(error))).ready;
    await expect(registry.call('mcp__git__log')).rejects.toBe(error);
  });

  test('is aborted one second after its time limit if the source ignores it', async () => {
    vi.useFakeTimers();
    const registry = createRegistry();
    const source = createListSource('git', [tool('log')], () => new Promise(() => {}));
    await registry.attach(source).ready;
    const call = registry.call('mcp__git__log', {}, { timeoutMs: 2_000 });
    const outcome = expect(call).rejects.toMatchObject({ code: 'timed-out', tool: 'mcp__git__log' });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(source.calls[0]?.options.signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await outcome;
    expect(source.calls[0]?.options.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a call of a native tool', () => {
  test.each([
    ['a text', 'hello', { content: [{ type: 'text', text: 'hello' }] }],
    ['nothing', undefined, { content: [] }],
    ['an object', { sum: 3 }, { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } }],
    ['a list', [1, 2], { content: [{ type: 'text', text: '[1,2]' }] }],
    ['a number', 7, { content: [{ type: 'text', text: '7' }] }],
    ['null', null, { content: [{ type: 'text', text: 'null' }] }],
    ['a whole result', { ...textResult('x'), isError: true }, { ...textResult('x'), isError: true }],
    [
      'an object that has content of its own',
      { content: ['page'] },
      { content: [{ type: 'text', text: '{"content":["page"]}' }], structuredContent: { content: ['page'] } },
    ],
  ])('that gives %s', async (_, given, result) => {
    expect(await withNative(async () => given).call('native')).toEqual(result);
  });

  test.each<[string, NativeToolHandler, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no such note');
      },
      /no such note/,
    ],
    ['rejects', () => Promise.reject(new TypeError('bad')), /bad/],
    ['rejects with no error', () => Promise.reject('odd'), /odd/],
    ['rejects with what is no text', () => Promise.reject(Object.create(null)), /something that cannot be read/],
    ['gives no JSON', () => () => {}, /must be JSON/],
    ['gives a bigint', () => ({ big: 1n }), /BigInt/],
  ])('that %s is a result with isError and the message', async (_, handler, message) => {
    const result = await withNative(handler).call('native');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(message);
  });

  test('ends at its time limit, even if the handler ignores the signal', async () => {
    vi.useFakeTimers();
    let told: AbortSignal | undefined;
    const registry = withNative((_, { signal }) => {
      told = signal;
      return new Promise(() => {});
    });
    const outcome = expect(registry.call('native', {}, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'timed-out' });
    await vi.advanceTimersByTimeAsync(50);
    await outcome;
    expect(told?.aborted).toBe(true);
  });

  test('can report progress', async () => {
    const seen: unknown[] = [];
    const registry = withNative((_, { reportProgress }) => {
      reportProgress({ progress: 1 });
      return 'done';
    });
    await registry.call('native', {}, { onProgress: (progress) => seen.push(progress) });
    await registry.call('native');
    expect(seen).toEqual([{ progress: 1 }]);
  });
});

describe('an invalid call', () => {
  test('an unknown name fails with similar names', async () => {
    const registry = createRegistry();
    await registry.attach(createListSource('filesystem', [tool('read_text_file'), tool('write_file')])).ready;
    const near = ['mcp__filesystem__read_text_file'];
    await expect(registry.call('read_text_fil')).rejects.toMatchObject({ code: 'unknown-tool', suggestions: near });
    await expect(registry.call('read_text_file')).rejects.toMatchObject({
      message: expect.stringMatching(/no tool named "read_text_file"; did you mean mcp__filesystem__read_text_file/),
    });
    await expect(registry.call('mcp__fs__read_text_file')).rejects.toMatchObject({ suggestions: near });
    await expect(registry.call('zzz')).rejects.toMatchObject({
      suggestions: [],
      message: expect.stringContaining('search_mcp_tools'),
    });
  });

  test.each([[null], [[]], ['text'], [7]])('arguments that are %j are refused', async (args) => {
    const registry = withNative(() => 'ran');
    await expect(registry.call('native', args as never)).rejects.toMatchObject({ code: 'invalid-arguments' });
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5' as never])(
    'the time %s is refused',
    async (timeoutMs) => {
      await expect(withNative(() => 'ran').call('native', {}, { timeoutMs })).rejects.toThrow(/timeoutMs/);
    },
  );
});

describe('a signal', () => {
  test('that aborts ends the call with its reason, even if the handler ignores it', async () => {
    const controller = new AbortController();
    const reason = new Error('the user left');
    const registry = withNative(() => {
      controller.abort(reason);
      return new Promise(() => {});
    });
    await expect(registry.call('native', {}, { signal: controller.signal })).rejects.toBe(reason);
  });

  test('that has aborted already keeps the tool from running', async () => {
    const handler = vi.fn();
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(withNative(handler).call('native', {}, { signal })).rejects.toThrow('too late');
    expect(handler).not.toHaveBeenCalled();
  });

  test('has no listeners after the call', async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await withNative(() => 'done').call('native', {}, { signal });
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  test('is optional: a hundred concurrent calls cause no warning about listeners', async () => {
    const registry = withNative(() => 'done');
    const warnings: unknown[] = [];
    const onWarning = (warning: unknown) => warnings.push(warning);
    process.on('warning', onWarning);
    await Promise.all(Array.from({ length: 100 }, () => registry.call('native')));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('a call of an unknown tool', () => {
  const unlisted = { ...createListSource('git', []), hasListed: false, state: 'starting' as const };
  const messageOf = async (call: Promise<unknown>) => call.then(String, ({ message }: Error) => message);

  test('has the state or the last error of a server that has never listed its tools', async () => {
    const registry = createRegistry();
    await registry.attach(unlisted).ready;
    await registry.attach({ ...unlisted, name: 'db', lastError: 'Its command was not found' }).ready;
    expect(await messageOf(registry.call('mcp__git__log'))).toBe(
      'There is no tool named "mcp__git__log"; server "git" has not listed its tools yet: it is starting',
    );
    expect(await messageOf(registry.call('db.query'))).toContain(
      '; server "db": its tools could not be listed: Its command was not found',
    );
  });

  test('has no secret of the failure, and no reason of a server that waits for approval', async () => {
    const redact = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '[hidden]'));
    const registry = createRegistry({ redact, trust: { servers: { git: 'approve' } } });
    const failed = { ...unlisted, lastError: 'Exited: bad key hunter2' };
    await registry.attach(failed).ready;
    await registry.attach({ ...failed, name: 'db' }).ready;
    const call = registry.call('mcp__db__query');
    await expect(call).rejects.toMatchObject({
      message: expect.stringMatching(/ could not be listed: Exited: bad key \[hidden\]$/),
      cause: { server: 'db', state: 'starting', message: 'Exited: bad key [hidden]' },
    });
    expect(await messageOf(registry.call('mcp__git__log'))).toBe(
      'There is no tool named "mcp__git__log"; search_mcp_tools finds tools by what they do',
    );
  });

  test('names no server that the caller may not know, and none that has listed its tools', async () => {
    const roles = [{ role: 'reader', allowedTools: ['git.log'] }];
    const registry = createRegistry({ roles });
    await registry.attach(unlisted).ready;
    await registry.attach(createListSource('files', [tool('read')])).ready;
    const reader = registry.view({ role: 'reader' });
    expect(await messageOf(reader.call('git.log'))).toContain('server "git"');
    const hidden = [
      reader.call('git.push'),
      registry.view({ role: 'other' }).call('git.log'),
      registry.view({ servers: ['files'] }).call('git.log'),
      registry.call('files.write'),
      registry.call('git'),
    ];
    for (const message of await Promise.all(hidden.map(messageOf))) expect(message).not.toContain('server "');
  });
});
