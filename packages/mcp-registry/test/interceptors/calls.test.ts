import { withResolvers } from '@x/internal/async';
import type { SourceCallOptions, ToolArguments, ToolCallResult, ToolSource } from '@x/internal/contracts';
import type { InterceptedCall, Interceptor } from '@x/internal/views';
import { createListSource, textOf, textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../src/audit/audit-event.js';
import { RegistryError } from '../../src/errors.js';
import { createRegistry, type RegistryOptions } from '../../src/registry.js';

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string' }, mode: { enum: ['fast', 'safe'] } },
  required: ['path'],
};

type Answer = (args: ToolArguments, options: SourceCallOptions) => ToolCallResult | Promise<ToolCallResult>;

async function createFiles(interceptors: readonly Interceptor[], options: RegistryOptions = {}, answer?: Answer) {
  const events: AuditEvent[] = [];
  const calls: { readonly args: ToolArguments; readonly options: SourceCallOptions }[] = [];
  const source: ToolSource = {
    name: 'files',
    listTools: () => [{ ...tool('write'), inputSchema }, tool('read')],
    async callTool(_name, args, given) {
      calls.push({ args, options: given });
      return answer === undefined ? textResult(JSON.stringify(args)) : answer(args, given);
    },
  };
  const registry = createRegistry({ audit: (event) => void events.push(event), interceptors, ...options });
  await registry.attach(source).ready;
  return { registry, calls, events };
}

function recording(seen: InterceptedCall[]): Interceptor {
  return {
    name: 'recording',
    call(call, next) {
      seen.push(call);
      return next();
    },
  };
}

const never = () => new Promise<never>(() => undefined);

describe('calls', () => {
  test('pass the interceptors in order, and results in reverse', async () => {
    const steps: string[] = [];
    const named = (name: string): Interceptor => ({
      name,
      async call(call, next) {
        steps.push(`${name} ${call.tool.tool} ${JSON.stringify(call.args)}`);
        const result = await next();
        steps.push(`${name} got ${textOf(result)}`);
        return result;
      },
      result(result) {
        steps.push(`${name} result`);
        return result;
      },
    });
    const { registry } = await createFiles([named('one'), named('two')]);
    const asked = { path: 'a' };
    expect(textOf(await registry.call('mcp__files__write', asked))).toBe('{"path":"a"}');
    const given = '{"path":"a"}';
    expect(steps).toEqual([
      `one write ${given}`,
      `two write ${given}`,
      'two result',
      `two got ${given}`,
      'one result',
      `one got ${given}`,
    ]);
  });

  test('reach the tool with changed arguments and meta', async () => {
    const { registry, calls, events } = await createFiles([
      { name: 'preset', call: (call, next) => next({ args: { ...call.args, mode: 'safe' } }) },
      { name: 'trace', call: (call, next) => next({ meta: { ...call.options.meta, trace: 'x' } }) },
    ]);
    await registry.call('mcp__files__write', { path: 'a' }, { meta: { own: 1 } });
    expect(calls).toMatchObject([{ args: { path: 'a', mode: 'safe' }, options: { meta: { own: 1, trace: 'x' } } }]);
    expect(events.at(-1)).toMatchObject({
      outcome: 'ok',
      interceptors: [{ interceptor: 'preset', decision: 'changed' }],
    });
  });

  test('with changed arguments that do not fit the tool fail and run nothing', async () => {
    const { registry, calls } = await createFiles([{ name: 'preset', call: (_, next) => next({ args: { path: 3 } }) }]);
    await expect(registry.call('mcp__files__write', { path: 'a' })).rejects.toMatchObject({
      code: 'refused',
      cause: { code: 'invalid-arguments', faults: [{ path: '/path' }] },
    });
    expect(calls).toEqual([]);
  });

  test.each([
    [{ arguments: {} }, 'next() takes { args, meta, isFinal }, got "arguments"'],
    [{ args: [] }, 'next() takes args as an object'],
    [{ meta: 'x' }, 'next() takes meta as an object'],
  ])('refuse other changes: %j', async (changes, message) => {
    const { registry, calls } = await createFiles([{ name: 'odd', call: (_, next) => next(changes as object) }]);
    await expect(registry.call('mcp__files__read')).rejects.toMatchObject({ code: 'refused', cause: { message } });
    expect(calls).toEqual([]);
  });

  test('with arguments that do not fit do not reach an interceptor', async () => {
    const seen: InterceptedCall[] = [];
    const { registry } = await createFiles([recording(seen)]);
    await expect(registry.call('mcp__files__write', {})).rejects.toMatchObject({ code: 'invalid-arguments' });
    await expect(registry.call('mcp__files__nothing', {})).rejects.toMatchObject({ code: 'unknown-tool' });
    expect(seen).toEqual([]);
  });

  test('are answered without the tool', async () => {
    const { registry, calls, events } = await createFiles([
      { name: 'cache', call: async () => textResult('kept') },
      { name: 'inner', call: async () => textResult('not reached') },
    ]);
    expect(textOf(await registry.call('mcp__files__read'))).toBe('kept');
    expect(calls).toEqual([]);
    expect(events.at(-1)).toMatchObject({
      outcome: 'ok',
      interceptors: [{ interceptor: 'cache', decision: 'answered' }],
    });
  });

  test('are refused with the reason of the interceptor, which audit sees', async () => {
    const { registry, calls, events } = await createFiles([
      {
        name: 'office-hours',
        async call(call) {
          call.note('closed since 18:00');
          throw new RegistryError('refused', 'Writing is possible from 9 to 18');
        },
      },
    ]);
    await expect(registry.call('mcp__files__read')).rejects.toThrow(
      new RegistryError('refused', 'Writing is possible from 9 to 18'),
    );
    expect(calls).toEqual([]);
    expect(events.at(-1)).toMatchObject({
      action: 'call',
      decision: 'allowed',
      outcome: 'failed',
      error: 'refused',
      interceptors: [
        { interceptor: 'office-hours', decision: 'noted', note: 'closed since 18:00' },
        { interceptor: 'office-hours', decision: 'refused' },
      ],
    });
  });

  test.each<[string, Interceptor['call']]>([
    ['throws', async () => Promise.reject(new Error('the secret'))],
    [
      'throws at once',
      () => {
        throw new Error('the secret');
      },
    ],
    ['returns nothing', (async () => undefined) as never],
    ['returns no promise', (() => 'done') as never],
    ['returns content that is none', (async () => ({ content: [{ text: 'x' }] })) as never],
  ])('are refused without the reason if the interceptor %s', async (_, call) => {
    const { registry, calls, events } = await createFiles([{ name: 'broken', call }]);
    const error: RegistryError = await registry.call('mcp__files__read').then(
      () => expect.unreachable(),
      (failure) => failure,
    );
    expect(error).toMatchObject({ code: 'refused' });
    expect(error.message).toBe('The interceptor "broken" failed for mcp__files__read; it was not run');
    expect(calls).toEqual([]);
    expect(JSON.stringify(events)).not.toContain('the secret');
  });

  test('say that the tool may have run if the interceptor fails after it', async () => {
    const { registry, calls } = await createFiles([
      {
        name: 'redact',
        result() {
          throw new Error('no');
        },
      },
    ]);
    await expect(registry.call('mcp__files__read')).rejects.toMatchObject({
      code: 'refused',
      message: 'The interceptor "redact" failed for mcp__files__read; it may have had its effect',
    });
    expect(calls).toHaveLength(1);
  });

  test('are never repeated', async () => {
    const twice: Interceptor = { name: 'retry', call: (_, next) => next().then(() => next()) };
    const { registry, calls } = await createFiles([twice]);
    await expect(registry.call('mcp__files__read')).rejects.toMatchObject({
      code: 'refused',
      cause: { message: 'The interceptor "retry" called next() twice' },
    });
    expect(calls).toHaveLength(1);
  });

  test('fail with the unchanged error of the source', async () => {
    const failure = Object.assign(new Error('gone'), { code: 'outcome-unknown' });
    const pass: Interceptor = { name: 'pass', call: (_, next) => next(), result: (result) => result };
    const { registry, events } = await createFiles([pass, { ...pass, name: 'second' }], {}, async () => {
      throw failure;
    });
    await expect(registry.call('mcp__files__read')).rejects.toBe(failure);
    expect(events.at(-1)).toMatchObject({ outcome: 'failed', error: 'outcome-unknown' });
    expect(events.at(-1)).not.toHaveProperty('interceptors');
  });

  test('pass on results that are not final, which result() does not see', async () => {
    const seen: unknown[] = [];
    const asking = { resultType: 'input_required', content: [], inputRequests: {} };
    const pass: Interceptor = {
      name: 'pass',
      call: (_, next) => next(),
      result(result) {
        seen.push(result);
        return result;
      },
    };
    const { registry } = await createFiles([pass], {}, async () => asking as never);
    await expect(registry.call('mcp__files__read')).resolves.toBe(asking);
    expect(seen).toEqual([]);
  });

  test('end an interceptor that waits: by abort, by time, and with the registry', async () => {
    const signals: AbortSignal[] = [];
    const waiting: Interceptor = {
      name: 'wait',
      call(call) {
        signals.push(call.signal);
        return never();
      },
    };
    const { registry, calls } = await createFiles([waiting]);
    const controller = new AbortController();
    const aborted = registry.call('mcp__files__read', {}, { signal: controller.signal });
    const late = registry.call('mcp__files__read', {}, { timeoutMs: 1 });
    const open = registry.call('mcp__files__read');
    await expect(late).rejects.toMatchObject({ code: 'timed-out' });
    controller.abort(new Error('changed my mind'));
    await expect(aborted).rejects.toThrow('changed my mind');
    const closed = expect(open).rejects.toMatchObject({ code: 'closed' });
    await registry.close();
    await closed;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    expect(calls).toEqual([]);
  });

  test.each(['before', 'after'] as const)('have a signal that an interceptor reads %s their end', async (when) => {
    const { promise: passed, resolve } = withResolvers<InterceptedCall>();
    const pass: Interceptor = {
      name: 'pass',
      call(call, next) {
        resolve(call);
        return next();
      },
    };
    const { registry } = await createFiles([pass], {}, never);
    const controller = new AbortController();
    const ended = registry.call('mcp__files__read', {}, { signal: controller.signal });
    const call = await passed;
    if (when === 'before') expect(call.signal.aborted).toBe(false);
    const reason = new Error('changed my mind');
    controller.abort(reason);
    await expect(ended).rejects.toBe(reason);
    expect(call.signal.reason).toBe(reason);
  });

  test.each(['abort', 'time', 'close'] as const)('are not sent after their end: %s', async (how) => {
    const gate = withResolvers<void>();
    const begun = withResolvers<void>();
    const slow: Interceptor = {
      name: 'slow',
      async call(_, next) {
        begun.resolve();
        await gate.promise;
        return next().finally(() => passed.resolve());
      },
    };
    const passed = withResolvers<void>();
    const { registry, calls } = await createFiles([slow]);
    const controller = new AbortController();
    const options = how === 'time' ? { timeoutMs: 1 } : { signal: controller.signal };
    const ended = expect(registry.call('mcp__files__read', {}, options)).rejects.toBeDefined();
    await begun.promise;
    if (how === 'abort') controller.abort(new Error('cancelled'));
    if (how === 'close') await registry.close();
    await ended;
    gate.resolve();
    await passed.promise;
    expect(calls).toEqual([]);
  });

  test.each(['role', 'tool'] as const)('are decided again after an interceptor has waited: %s', async (what) => {
    const gate = withResolvers<void>();
    const begun = withResolvers<void>();
    const slow: Interceptor = {
      name: 'slow',
      async call(_, next) {
        begun.resolve();
        await gate.promise;
        return next();
      },
    };
    const source = createListSource('files', [tool('read')]);
    const registry = createRegistry({ interceptors: [slow], roles: [{ role: 'dev', allowedTools: ['files'] }] });
    await registry.attach(source).ready;
    const call = registry.view({ role: 'dev' }).call('mcp__files__read');
    await begun.promise;
    if (what === 'role') registry.update({ roles: [] });
    else {
      const changed = registry.changes().next();
      source.offer([{ ...tool('read'), annotations: { destructiveHint: true } }]);
      await changed;
    }
    gate.resolve();
    await expect(call).rejects.toMatchObject({ code: what === 'role' ? 'unknown-tool' : 'refused' });
    expect(source.calls).toEqual([]);
  });

  test('have each final step check what is sent', async () => {
    const final: Interceptor = { name: 'final', call: ({ args }, next) => next({ args, isFinal: true }) };
    const change: Interceptor = { name: 'change', call: (_, next) => next({ args: { path: 'b' }, isFinal: true }) };
    const { registry, calls } = await createFiles([final, change]);
    await expect(registry.call('mcp__files__write', { path: 'a' })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('changed after the interceptor "final"'),
    });
    expect(calls).toEqual([]);
  });

  test('do not run once their interceptor has ended', async () => {
    const late = withResolvers<unknown>();
    const broken: Interceptor = {
      name: 'broken',
      async call(_, next) {
        setImmediate(() => next().catch(late.resolve));
        throw new Error('no');
      },
    };
    const { registry, calls } = await createFiles([broken]);
    await expect(registry.call('mcp__files__read')).rejects.toMatchObject({ code: 'refused' });
    expect(await late.promise).toMatchObject({ message: 'The interceptor "broken" called next() after its end' });
    expect(calls).toEqual([]);
  });

  test('leave no rejection unhandled', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    try {
      const twice: Interceptor = {
        name: 'twice',
        call(_, next) {
          const result = next();
          next();
          next({ args: 3 as never });
          return result;
        },
      };
      const list = (async () => Promise.reject(new Error('async'))) as never;
      const { registry } = await createFiles([twice]);
      await registry.call('mcp__files__read');
      const hidden = await createFiles([{ name: 'async', list }]);
      expect(hidden.registry.list()).toEqual([]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', onUnhandled);
    }
  });

  test('have the rest of their time after an interceptor', async () => {
    const { registry, calls } = await createFiles([{ name: 'pass', call: (_, next) => next() }]);
    await registry.call('mcp__files__read', {}, { timeoutMs: 60_000 });
    const left = calls[0]?.options.timeoutMs;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  test('of a role carry its caller, and only its view has the interceptors of the view', async () => {
    const seen: InterceptedCall[] = [];
    const note = recording(seen);
    const { registry } = await createFiles([], { roles: [{ role: 'dev', allowedTools: ['files.*'] }] });
    await registry.view({ role: 'dev', principal: 'ada', interceptors: [note] }).call('mcp__files__read');
    await registry.view({ role: 'dev', principal: 'ada' }).call('mcp__files__read');
    await registry.view({ interceptors: [note] }).call('mcp__files__read');
    expect(seen.map(({ caller }) => caller)).toEqual([{ role: 'dev', principal: 'ada' }, {}]);
  });

  test('pass two interceptors of one name', async () => {
    const seen: InterceptedCall[] = [];
    const { registry } = await createFiles([recording(seen), recording(seen)]);
    await registry.call('mcp__files__read');
    expect(seen).toHaveLength(2);
  });

  test('of native tools and of the search pass, too', async () => {
    const seen: InterceptedCall[] = [];
    const { registry } = await createFiles([recording(seen)]);
    registry.register({ name: 'hello', description: 'Greets' }, () => 'hello');
    await registry.call('hello');
    await registry.call('search_mcp_tools', { query: 'write' });
    expect(seen.map(({ tool: { name } }) => name)).toEqual(['hello', 'search_mcp_tools']);
  });
});

test.each<[unknown, string]>([
  ['all', 'interceptors must be a list of interceptors'],
  [[{ call: () => undefined }], 'interceptors[0].name must be a text that is not empty, got undefined'],
  [[{ name: 'a', calls: () => undefined }], 'interceptors[0].calls'],
  [[{ name: 'a', call: true }], 'interceptors[0].call must be a function'],
])('%j are no interceptors', (interceptors, message) => {
  expect(() => createRegistry({ interceptors: interceptors as never })).toThrow(message);
  expect(() => createRegistry().view({ interceptors: interceptors as never })).toThrow(message);
});
