import { withResolvers } from '@x/internal/async';
import type { SourceCallOptions, ToolCallResult, ToolSource } from '@x/internal/contracts';
import { createListSource, textResult, tool } from '@x/test-servers';
import { describe, expect, test, vi } from 'vitest';
import { createRegistry } from '../../src/registry.js';

type Run = (options: SourceCallOptions) => Promise<ToolCallResult>;

/** Rejects as soon as its signal aborts and leaves no listener on it. */
const untilAborted: Run = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));

async function attached({ heedsSignals = true, run = async () => textResult('done') }: HeedingOptions = {}) {
  const source = createListSource('git', [tool('log')], (_tool, _args, options) => run(options));
  const registry = createRegistry();
  await registry.attach(Object.assign<ToolSource, object>(source, { heedsSignals })).ready;
  const signals = () => source.calls.map(({ options }) => options.signal);
  return { registry, signals, call: (options?: SourceCallOptions) => registry.call('mcp__git__log', {}, options) };
}

interface HeedingOptions {
  readonly heedsSignals?: boolean;
  readonly run?: Run;
}

describe('calls of a source that heeds signals', () => {
  test('share one signal unless they have a limit of their own', async () => {
    const { call, signals } = await attached();
    await Promise.all([call(), call(), call({ meta: { traceparent: '00-1-2-01' } })]);
    expect(new Set(signals()).size).toBe(1);
    await call({ signal: new AbortController().signal });
    await call({ timeoutMs: 1_000 });
    const [shared] = signals();
    expect(signals().slice(3)).not.toContain(shared);
  });

  test('end with the registry, through the signal that they share', async () => {
    const { registry, call, signals } = await attached({ run: untilAborted });
    const calls = [call(), call()];
    await registry.close();
    for (const each of calls) await expect(each).rejects.toMatchObject({ code: 'closed' });
    expect(signals()[0]).toMatchObject({ aborted: true, reason: { code: 'closed' } });
  });

  test('end with the signal of their caller, and no other call does', async () => {
    const { call, signals } = await attached({ run: untilAborted });
    const controller = new AbortController();
    const other = call();
    const ended = call({ signal: controller.signal });
    controller.abort(new Error('the user left'));
    await expect(ended).rejects.toThrow('the user left');
    expect(signals().map((signal) => signal?.aborted)).toEqual([false, true]);
    other.catch(() => undefined);
  });

  test('never get a signal that has aborted', async () => {
    const { call, signals } = await attached({ run: untilAborted });
    const controllers = [new AbortController(), new AbortController()];
    for (const controller of controllers) {
      const ended = call({ signal: controller.signal });
      expect(signals().at(-1)?.aborted).toBe(false);
      controller.abort(new Error('enough'));
      await expect(ended).rejects.toThrow('enough');
    }
  });

  test('get the signal of an earlier call only when that has settled', async () => {
    const results: ((result: ToolCallResult) => void)[] = [];
    const run: Run = () => {
      const { promise, resolve } = withResolvers<ToolCallResult>();
      results.push(resolve);
      return promise;
    };
    const { call, signals } = await attached({ run });
    const limit = { timeoutMs: 60_000 };
    const [first, second] = [call(limit), call(limit)];
    expect(new Set(signals()).size).toBe(2);
    results[0]?.(textResult('one'));
    await first;
    const third = call(limit);
    expect(signals()[2]).toBe(signals()[0]);
    for (const resolve of results) resolve(textResult('done'));
    await Promise.all([second, third]);
  });
});

test('each call of any other source has a signal of its own', async () => {
  const { call, signals } = await attached({ heedsSignals: false });
  const { signal } = new AbortController();
  for (const options of [undefined, undefined, { signal }, { timeoutMs: 1_000 }]) await call(options);
  expect(new Set([signal, ...signals()]).size).toBe(5);
});

test('a call of a native tool makes no signal unless its handler reads one', async () => {
  const made = vi.spyOn(globalThis, 'AbortController');
  const registry = createRegistry();
  registry.register({ name: 'quiet', description: '' }, () => 'done');
  registry.register({ name: 'curious', description: '' }, (_, { signal }) => String(signal.aborted));
  await registry.call('quiet');
  expect(made).not.toHaveBeenCalled();
  await registry.call('curious');
  expect(made).toHaveBeenCalledOnce();
  made.mockRestore();
});
