import type { SourceCallOptions, ToolProgress } from '@x/internal/contracts';
import { describe, expect, test, vi } from 'vitest';
import { isFleetError } from '../../src/errors.js';
import type { FleetSource } from '../../src/source.js';
import { sourceOf, textResult, twoNodes } from './two-nodes.js';

/** A call that has come to its source, and is answered by the test. */
function heldTool() {
  const calls: { resolve: (text: string) => void; options: SourceCallOptions }[] = [];
  let onCall = () => {};
  const next = () => new Promise<void>((resolve) => (onCall = resolve));
  let arrival = next();
  return {
    calls,
    /** Resolves at the next call that comes. */
    arrived: () => arrival,
    callTool: (_tool: string, _args: unknown, options: SourceCallOptions) =>
      new Promise<ReturnType<typeof textResult>>((resolve) => {
        calls.push({ resolve: (text) => resolve(textResult(text)), options });
        onCall();
        arrival = next();
      }),
  };
}

test('a tool of another node is called with all options, and its result returns', async () => {
  const seen: unknown[] = [];
  const nodes = await twoNodes({
    callTool: async (tool, args, { signal, onProgress, timeoutMs, ...options }) => {
      seen.push({
        tool,
        args,
        ...options,
        hasSignal: signal instanceof AbortSignal,
        hasProgress: onProgress !== undefined,
      });
      expect(timeoutMs).toBeGreaterThan(0);
      expect(timeoutMs).toSatisfy(Number.isInteger); // sources may take whole milliseconds alone
      return {
        content: [{ type: 'text', text: 'ä€😀' }],
        structuredContent: { a: [1, null] },
        _meta: { x: 1 },
        isError: false,
      };
    },
  });
  const result = await nodes.call(
    'read',
    { path: 'ä€😀', n: [1, { a: null }] },
    {
      meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
      params: { requestState: 's' },
      inputRequired: 'return',
      caller: { role: 'review', principal: 'alice' },
    },
  );
  expect(result).toEqual({
    ...{
      content: [{ type: 'text', text: 'ä€😀' }],
      structuredContent: { a: [1, null] },
      _meta: { x: 1 },
      isError: false,
    },
  });
  expect(seen).toEqual([
    {
      tool: 'read',
      args: { path: 'ä€😀', n: [1, { a: null }] },
      meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
      params: { requestState: 's' },
      inputRequired: 'return',
      caller: { role: 'review', principal: 'alice' },
      hasSignal: true,
      hasProgress: false,
    },
  ]);
});

test('omitted options stay omitted', async () => {
  let keys: string[] = [];
  const { call } = await twoNodes({
    callTool: async (_tool, _args, options) => {
      keys = Object.keys(options);
      return textResult('done');
    },
  });
  await call();
  expect(keys.sort()).toEqual(['caller', 'signal', 'timeoutMs']);
});

test('a server of any name is called', async () => {
  for (const name of ['My files', 'ä.b', '*', '>', '']) {
    const { call } = await twoNodes({ sources: (server) => ({ ...sourceOf(async () => textResult(server)), name }) });
    expect(await call('read', {}, { server: name })).toEqual(textResult(name));
  }
});

test('many calls at the same time each get their own result', async () => {
  const { call, caller, serving } = await twoNodes({ callTool: async (tool, args) => textResult(`${tool} ${args.n}`) });
  const results = Promise.all(Array.from({ length: 50 }, (_, n) => call('read', { n })));
  expect(caller.inFlight('owner')).toBe(50);
  expect(await results).toEqual(Array.from({ length: 50 }, (_, n) => textResult(`read ${n}`)));
  expect(caller.inFlight('owner')).toBe(0);
  expect(serving.inFlight).toBe(0);
});

test('progress arrives in order before the result, and later progress is ignored', async () => {
  const seen: ToolProgress[] = [];
  let late: SourceCallOptions['onProgress'];
  const { call, edgeBus } = await twoNodes({
    callTool: async (_tool, _args, { onProgress }) => {
      onProgress?.({ progress: 1, total: 3 });
      onProgress?.({ progress: 2, total: 3, message: 'soon' });
      late = onProgress;
      return textResult('done');
    },
  });
  await call('read', {}, { onProgress: (progress) => seen.push(progress) });
  late?.({ progress: 3 });
  await edgeBus.flush();
  expect(seen).toEqual([
    { progress: 1, total: 3 },
    { progress: 2, total: 3, message: 'soon' },
  ]);
});

test('invalid progress, such as a part of nothing, does not end a call', async () => {
  const seen: ToolProgress[] = [];
  const { call } = await twoNodes({
    callTool: async (_tool, _args, { onProgress }) => {
      for (const progress of [0 / 0, 1 / 0, 1]) onProgress?.({ progress });
      return textResult('done');
    },
  });
  expect(await call('read', {}, { onProgress: (progress) => seen.push(progress) })).toEqual(textResult('done'));
  expect(seen).toEqual([{ progress: 1 }]);
});

test('an error of a source arrives as its own error', async () => {
  const { call } = await twoNodes({
    callTool: async () => {
      throw Object.assign(new RangeError('The disk is full'), { code: 'disk-full', retryable: true });
    },
  });
  const error = await call().catch((thrown: unknown) => thrown);
  expect(isFleetError(error)).toBe(true);
  expect(error).toMatchObject({
    ...{ code: 'source-error', message: 'The disk is full', sourceCode: 'disk-full', retryable: true },
    ...{ node: 'owner', server: 'files', cause: expect.objectContaining({ name: 'RangeError' }) },
  });
});

test('a source that throws synchronously fails only its call', async () => {
  const { call } = await twoNodes({
    callTool: () => {
      throw new Error('not today');
    },
  });
  await expect(call()).rejects.toMatchObject({ code: 'source-error', message: 'not today' });
});

test('a result that is not JSON fails the call, with a note that the tool has run', async () => {
  const circle: Record<string, unknown> = { content: [] };
  circle.self = circle;
  const { call } = await twoNodes({ callTool: async () => circle as never });
  await expect(call()).rejects.toMatchObject({ code: 'source-error', message: expect.stringContaining('has run') });
});

test('a missing result is passed on unchanged', async () => {
  const { call } = await twoNodes({ callTool: async () => undefined as never });
  expect(await call()).toBeNull();
});

test('arguments that cannot be serialized are a TypeError', async () => {
  const { call, caller } = await twoNodes();
  await expect(call('read', { big: 1n })).rejects.toBeInstanceOf(TypeError);
  await expect(call('read', {}, { timeoutMs: 0 })).rejects.toBeInstanceOf(TypeError);
  await expect(call('read', {}, { timeoutMs: Number.NaN })).rejects.toBeInstanceOf(TypeError);
  expect(caller.inFlight('owner')).toBe(0);
});

test('a cancelled call ends at once with the signal’s reason, and aborts its source', async () => {
  const tool = heldTool();
  const { call, serving } = await twoNodes(tool);
  const cancel = new AbortController();
  const result = call('read', {}, { signal: cancel.signal });
  await tool.arrived();
  const stopped = new Promise((resolve) => tool.calls[0]?.options.signal?.addEventListener('abort', resolve));
  const reason = new Error('changed my mind');
  cancel.abort(reason);
  await expect(result).rejects.toBe(reason);
  await stopped;
  expect(tool.calls[0]?.options.signal?.reason).toMatchObject({ code: 'cancelled' });
  expect(serving.inFlight).toBe(0);
});

test('a call that is cancelled before it begins is not sent', async () => {
  const callTool = vi.fn();
  const { call, edgeBus } = await twoNodes({ callTool });
  const reason = new Error('never mind');
  await expect(call('read', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const cancel = new AbortController();
  const result = call('read', {}, { signal: cancel.signal });
  cancel.abort(reason); // its token is being signed
  await expect(result).rejects.toBe(reason);
  await edgeBus.flush();
  expect(callTool).not.toHaveBeenCalled();
});

test('cancelling one call does nothing to another', async () => {
  const tool = heldTool();
  const { call } = await twoNodes(tool);
  const cancel = new AbortController();
  const first = call('read', {}, { signal: cancel.signal });
  await tool.arrived();
  const second = call();
  await tool.arrived();
  cancel.abort(new Error('only the first'));
  await expect(first).rejects.toThrow('only the first');
  tool.calls[1]?.resolve('second');
  expect(await second).toEqual(textResult('second'));
});

test('a source’s signal stays quiet when it has answered', async () => {
  let signal: AbortSignal | undefined;
  const { call } = await twoNodes({
    callTool: async (_tool, _args, options) => {
      signal = options.signal;
      return textResult('done');
    },
  });
  await call();
  expect(signal?.aborted).toBe(false);
});

test('calls of one node above the limit are rejected as busy', async () => {
  const tool = heldTool();
  const { call, serving } = await twoNodes({ callTool: tool.callTool, limits: { maxCallsPerNode: 2 } });
  const first = call();
  await tool.arrived();
  const second = call();
  await tool.arrived();
  await expect(call()).rejects.toMatchObject({ code: 'busy', retryable: true, node: 'owner' });
  expect(serving.inFlight).toBe(2);
  tool.calls[0]?.resolve('first');
  await first;
  const third = call();
  await tool.arrived();
  for (const { resolve } of tool.calls) resolve('done');
  expect(await Promise.all([second, third])).toHaveLength(2);
});

test('when a node leaves, calls that it makes end, and calls that it serves end at their callers', async () => {
  const tool = heldTool();
  const { call, caller, serving } = await twoNodes(tool);
  const served = call();
  await tool.arrived();
  serving.close();
  await expect(served).rejects.toMatchObject({ code: 'cancelled', node: 'owner' });
  expect(tool.calls[0]?.options.signal?.aborted).toBe(true);
  await expect(call()).rejects.toMatchObject({ code: 'node-unreachable' });

  const made = call();
  caller.close();
  caller.close();
  await expect(made).rejects.toMatchObject({ code: 'closed' });
  await expect(call()).rejects.toMatchObject({ code: 'closed' });
});

test('a node that has left has no subscriptions', async () => {
  const { atEdge, atOwner, caller, serving, edgeBus, broker } = await twoNodes();
  caller.close();
  serving.close();
  expect(atEdge.listenerCount + atOwner.listenerCount).toBe(0);
  const asked = new Promise((resolve) =>
    edgeBus.subscribe('reply.edge.x', ({ hasNoResponders }) => resolve(hasNoResponders)),
  );
  for (const subject of ['call.owner.files.edge', 'control.owner.edge']) {
    broker.connect().publish(subject, new Uint8Array());
    edgeBus.publish(subject, new Uint8Array(), { replyTo: 'reply.edge.x' });
  }
  expect(await asked).toBe(true);
});

describe('an owner confirms that a tool runs', () => {
  /** The letters of all replies, in their order, as far as the last one. */
  function repliesOf({ broker }: Awaited<ReturnType<typeof twoNodes>>): string[] {
    const letters: string[] = [];
    broker.connect().subscribe('reply.>', ({ data }) => letters.push(String.fromCharCode(data[0] ?? 0)));
    return letters;
  }

  test.each<[string, FleetSource['callTool'], string]>([
    ['its result, which is there at once', async () => textResult('done'), 'AF'],
    [
      'its progress',
      async (_tool, _args, { onProgress }) => {
        onProgress?.({ progress: 1 });
        return textResult('done');
      },
      'APF',
    ],
    [
      'what it asks its client',
      async (_tool, _args, { handler, signal = new AbortController().signal }) => {
        await handler?.answer({ method: 'roots/list', params: {} }, { server: 'files', signal });
        return textResult('done');
      },
      'AQF',
    ],
    ['why it failed', () => Promise.reject(new Error('no')), 'AE'],
  ])('before %s', async (_, callTool, expected) => {
    const nodes = await twoNodes({ callTool });
    const letters = repliesOf(nodes);
    const handler = { client: {}, capabilities: {}, answer: async () => ({ roots: [] }) };
    await nodes.call('read', {}, { handler, onProgress: () => {} }).catch(() => undefined);
    expect(letters.join('')).toBe(expected);
  });

  test('while it still runs, once', async () => {
    const tool = heldTool();
    const nodes = await twoNodes({ callTool: tool.callTool });
    const said = new Promise<string>((resolve) => {
      nodes.broker.connect().subscribe('reply.>', ({ data }) => resolve(String.fromCharCode(data[0] ?? 0)));
    });
    const letters = repliesOf(nodes);
    const result = nodes.call();
    expect(await said).toBe('A');
    tool.calls[0]?.resolve('done');
    await result;
    expect(letters.join('')).toBe('AF');
  });

  test('in any runtime', async () => {
    vi.stubGlobal('setImmediate', undefined);
    vi.stubGlobal('clearImmediate', undefined);
    try {
      const tool = heldTool();
      const nodes = await twoNodes({ callTool: tool.callTool });
      const said = new Promise<string>((resolve) => {
        nodes.broker.connect().subscribe('reply.>', ({ data }) => resolve(String.fromCharCode(data[0] ?? 0)));
      });
      const result = nodes.call();
      expect(await said).toBe('A');
      tool.calls[0]?.resolve('done');
      expect(await result).toEqual(textResult('done'));
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('and without a connection, nothing is run', async () => {
    const callTool = vi.fn(async () => textResult('done'));
    const cancel = new AbortController();
    const nodes = await twoNodes({
      callTool,
      authorize: () => {
        nodes.ownerBus.disconnect();
        queueMicrotask(() => cancel.abort(new Error('enough')));
        return true;
      },
    });
    await expect(nodes.call('read', {}, { signal: cancel.signal })).rejects.toThrow('enough');
    expect(nodes.serving.inFlight).toBe(0);
    expect(callTool).not.toHaveBeenCalled();
  });
});
