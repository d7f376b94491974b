import type { SourceCallOptions } from '@x/internal/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPrincipalCheck } from '../../src/principal/principal-check.js';
import { HandMadeNodes } from './hand-made-nodes.js';
import { ScriptedOwner } from './scripted-owner.js';
import { textResult, twoNodes } from './two-nodes.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

async function scripted() {
  const nodes = await twoNodes();
  nodes.serving.close();
  return { ...nodes, owner: new ScriptedOwner(nodes.ownerBus) };
}

test('a call without a timeout waits for a minute', async () => {
  const { call, owner } = await scripted();
  const result = call();
  const { data } = await owner.nextCall();
  expect(JSON.parse(new TextDecoder().decode(data))).toMatchObject({ timeoutMs: 60_000 });
  const outcome = vi.fn();
  result.catch(outcome);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome).toHaveBeenCalledWith(expect.objectContaining({ code: 'timed-out', retryable: false }));
  expect(await owner.nextControl()).toMatchObject({ type: 'cancel' });
});

test('a sent call that times out may have had its effect', async () => {
  const { call, owner } = await scripted();
  const result = expect(call('read', {}, { timeoutMs: 500 })).rejects.toMatchObject({
    code: 'timed-out',
    message: expect.stringContaining('may or may not have had its effect'),
    ...{ node: 'owner', server: 'files' },
  });
  owner.reply(await owner.nextCall(), 'A');
  await vi.advanceTimersByTimeAsync(500);
  await result;
});

test('a call that times out during the transfer of its arguments has run nothing', async () => {
  const { call, owner } = await scripted();
  const result = expect(call('write', { text: 'x'.repeat(1024 * 1024) }, { timeoutMs: 500 })).rejects.toMatchObject({
    code: 'timed-out',
    message: expect.stringContaining('nothing was run'),
    retryable: true,
  });
  await owner.nextCall();
  await vi.advanceTimersByTimeAsync(500);
  await result;
});

test('calls leave no timer, however they end', async () => {
  const { call, serving, caller } = await twoNodes({
    callTool: async (tool) => {
      if (tool === 'fail') throw new Error('failed');
      return textResult('x'.repeat(tool === 'long' ? 2_000_000 : 1));
    },
  });
  await Promise.allSettled([call(), call('fail'), call('long'), call('read', {}, { server: 'none' })]);
  expect(serving.inFlight).toBe(0);
  caller.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('the owner enforces the timeout itself', async () => {
  let options: SourceCallOptions | undefined;
  let began: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => (began = resolve));
  const { call, edgeBus, serving } = await twoNodes({
    callTool: (_tool, _args, given) => {
      options = given;
      began?.();
      return new Promise(() => {});
    },
  });
  const result = expect(call('read', {}, { timeoutMs: 5_000 })).rejects.toMatchObject({ code: 'timed-out' });
  await begun;
  expect(options?.timeoutMs).toBe(5_000);
  edgeBus.disconnect();
  await vi.advanceTimersByTimeAsync(5_000);
  await result;
  expect(options?.signal?.reason).toMatchObject({ code: 'timed-out', node: 'owner' });
  expect(serving.inFlight).toBe(0);
});

test('a source gets the remaining time, not the original timeout', async () => {
  let timeoutMs: number | undefined;
  let decide: ((isAllowed: boolean) => void) | undefined;
  let asked: (() => void) | undefined;
  const asking = new Promise<void>((resolve) => (asked = resolve));
  const { call } = await twoNodes({
    authorize: () => {
      asked?.();
      return new Promise((resolve) => (decide = resolve));
    },
    callTool: async (_tool, _args, options) => {
      timeoutMs = options.timeoutMs;
      return textResult('done');
    },
  });
  const result = call('read', {}, { timeoutMs: 5_000 });
  await asking;
  await vi.advanceTimersByTimeAsync(2_000);
  decide?.(true);
  await result;
  expect(timeoutMs).toBe(3_000);
});

test('a call whose reply was lost with the bus ends with its timeout', async () => {
  let finish: (() => void) | undefined;
  let began: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => (began = resolve));
  const { call, edgeBus, broker, ownerBus } = await twoNodes({
    callTool: () =>
      new Promise((resolve) => {
        finish = () => resolve(textResult('done'));
        began?.();
      }),
  });
  const outcome = vi.fn();
  const result = call('read', {}, { timeoutMs: 5_000 }).catch(outcome);
  await begun;
  await edgeBus.flush();
  broker.stop();
  finish?.();
  await vi.advanceTimersByTimeAsync(4_000);
  broker.start();
  await ownerBus.flush();
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  await result;
  expect(outcome).toHaveBeenCalledWith(
    expect.objectContaining({ code: 'timed-out', message: expect.stringContaining('may or may not') }),
  );
});

test('a call of a node without a lease is refused after two seconds, and may be retried', async () => {
  const nodes = new HandMadeNodes();
  const { principals } = await twoNodes();
  const check = createPrincipalCheck({ node: 'owner', nodes });
  const verdict = expect(
    check.check(await principals.tokenFor('owner'), 'edge', new AbortController().signal),
  ).rejects.toMatchObject({ code: 'refused', retryable: true });
  await vi.advanceTimersByTimeAsync(2_000);
  await verdict;
  expect(nodes.listenerCount).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
