import { describe, expect, test, vi } from 'vitest';
import { encodeChunk } from '../../src/calls/chunks.js';
import type { ToolCallResult } from '../../src/source.js';
import { ScriptedOwner } from './scripted-owner.js';
import { textResult, twoHosts } from './two-hosts.js';

const MIB = 1024 * 1024;
/** So much that every part of it is different. */
const longText = (length: number) =>
  Array.from({ length: Math.ceil(length / 8) }, (_, index) => `${index}`.padEnd(8))
    .join('')
    .slice(0, length);

function textOf({ content }: ToolCallResult): unknown {
  return content[0]?.text;
}

describe('FLT-06: what is longer than one message of the bus', () => {
  test.each([1_000, 512 * 1024, MIB, 5 * MIB])('arrives as it was: a result of %i bytes', async (length) => {
    const text = longText(length);
    const { call, serving } = await twoHosts({ callTool: async () => textResult(text) });
    expect(textOf(await call()) === text).toBe(true);
    expect(serving.inFlight).toBe(0);
  });

  test.each([1_000, 512 * 1024, MIB, 5 * MIB])('arrives as it was: arguments of %i bytes', async (length) => {
    const text = longText(length);
    const { call } = await twoHosts({ callTool: async (_tool, { given }) => textResult(`${given === text}`) });
    expect(textOf(await call('write', { given: text }))).toBe('true');
  });

  test('arrives as it was on a bus that takes next to nothing', async () => {
    const text = longText(20_000);
    const hosts = await twoHosts({
      maxPayloadBytes: 1_000,
      callTool: async (_tool, { given }) => textResult(`${given}`),
    });
    expect(textOf(await hosts.call('echo', { given: text }))).toBe(text);
  });

  test('arrives as it was, and with it what else the call is given', async () => {
    const requestState = longText(MIB);
    const { call } = await twoHosts({
      callTool: async (_tool, _args, { params, meta }) =>
        textResult(`${params?.requestState === requestState} ${meta?.x}`),
    });
    expect(textOf(await call('read', {}, { params: { requestState }, meta: { x: 1 } }))).toBe('true 1');
  });

  test('never waits in the broker in more than eight parts', async () => {
    const hosts = await twoHosts({ maxPayloadBytes: 1_000, callTool: async () => textResult(longText(50_000)) });
    let waiting = 0;
    let most = 0;
    hosts.broker.connect().subscribe('reply.>', ({ data }) => {
      if (data[0] === 'C'.charCodeAt(0)) waiting += 1;
      most = Math.max(most, waiting);
    });
    hosts.broker.connect().subscribe('control.>', ({ data }) => {
      if (new TextDecoder().decode(data).includes('credit')) waiting -= 4;
    });
    await hosts.call();
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(8);
  });

  test('is refused by the caller’s own host when its arguments are too long, before anything is sent', async () => {
    const callTool = vi.fn();
    const { call } = await twoHosts({ callTool, limits: { maxArgsBytes: 1_000 } });
    const expected = { code: 'message-too-large', message: expect.stringContaining('1000'), retryable: false };
    await expect(call('write', { text: 'x'.repeat(2_000) })).rejects.toMatchObject(expected);
    expect(callTool).not.toHaveBeenCalled();
  });

  test('is refused by the caller’s own host when its arguments are too long in bytes alone', async () => {
    const { call } = await twoHosts({ maxPayloadBytes: 1_000, limits: { maxArgsBytes: 1_000 } });
    await expect(call('write', { text: 'ä'.repeat(900) })).rejects.toMatchObject({ code: 'message-too-large' });
  });

  test('is refused by the owner when it takes less than the caller sends', async () => {
    const callTool = vi.fn();
    const { call } = await twoHosts({ callTool, limits: { maxArgsBytes: MIB }, edgeLimits: { maxArgsBytes: 4 * MIB } });
    await expect(call('write', { text: 'x'.repeat(2 * MIB) })).rejects.toMatchObject({
      code: 'message-too-large',
      message: expect.stringContaining('nothing was run'),
      host: 'owner',
    });
    expect(callTool).not.toHaveBeenCalled();
  });

  test.each(['x', 'ä'])('is refused by the owner when a result is longer than it sends: of %s', async (letter) => {
    const { call } = await twoHosts({
      limits: { maxResultBytes: 1_000 },
      callTool: async () => textResult(letter.repeat(letter === 'x' ? 2_000 : 700)),
    });
    const expected = { code: 'result-too-large', message: expect.stringContaining('has run'), retryable: false };
    await expect(call()).rejects.toMatchObject(expected);
  });

  test('is refused by the caller’s own host when it takes less than the owner sends, and the owner stops', async () => {
    const { call, serving, ownerBus } = await twoHosts({
      maxPayloadBytes: 1_000,
      edgeLimits: { maxResultBytes: 10_000 },
      limits: {},
      callTool: async () => textResult('x'.repeat(50_000)),
    });
    await expect(call()).rejects.toMatchObject({ code: 'result-too-large', message: expect.stringContaining('10000') });
    await ownerBus.flush();
    expect(serving.inFlight).toBe(0);
  });

  test('keeps no more arguments on their way at a time than an owner has room for', async () => {
    const { call, edgeBus } = await twoHosts({ maxPayloadBytes: 1_000, limits: { maxArgsBytes: 5_000 } });
    const text = 'x'.repeat(4_000);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => call('write', { text })));
    const failed = results.filter(({ status }) => status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    for (const result of failed) expect(result).toMatchObject({ reason: { code: 'busy', retryable: true } });
    await edgeBus.flush();
    expect(await call('write', { text })).toEqual(textResult('done'));
  });

  test('is told in short when it is what a source threw', async () => {
    const { call } = await twoHosts({
      maxPayloadBytes: 1_000,
      callTool: async () => {
        throw Object.assign(new Error('x'.repeat(5_000)), { code: -32000, data: 'y'.repeat(5_000) });
      },
    });
    await expect(call()).rejects.toMatchObject({ code: 'source-error', sourceCode: -32000, rpc: { code: -32000 } });
  });

  test('is cancelled while its arguments are on their way, and nothing is run', async () => {
    const callTool = vi.fn();
    const { call, serving, ownerBus, edgeBus, broker } = await twoHosts({ callTool, maxPayloadBytes: 1_000 });
    const cancel = new AbortController();
    broker.connect().subscribe('call.>', ({ data }) => {
      if (data[0] === 'C'.charCodeAt(0)) cancel.abort(new Error('enough'));
    });
    await expect(call('write', { text: longText(50_000) }, { signal: cancel.signal })).rejects.toThrow('enough');
    await edgeBus.flush();
    await ownerBus.flush();
    expect(serving.inFlight).toBe(0);
    expect(callTool).not.toHaveBeenCalled();
  });
});

describe('a result of which something is lost on the way', () => {
  test.each([
    ['a part', [encodeChunk({ index: 1, bytes: new Uint8Array(5) })]],
    ['what announces it', ['skip', encodeChunk({ index: 0, bytes: new Uint8Array(5) })]],
  ])('has no outcome that anybody knows: %s', async (_, parts) => {
    const hosts = await twoHosts();
    hosts.serving.close();
    const owner = new ScriptedOwner(hosts.ownerBus);
    const result = hosts.call();
    const request = await owner.nextCall();
    owner.reply(request, 'A', ...(parts[0] === 'skip' ? parts.slice(1) : ['S{"bytes":10}', ...parts]));
    await expect(result).rejects.toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringContaining('has run'),
    });
    expect(await owner.nextControl()).toMatchObject({ type: 'cancel' });
  });

  test('is no JSON when it is put together wrongly', async () => {
    const hosts = await twoHosts();
    hosts.serving.close();
    const owner = new ScriptedOwner(hosts.ownerBus);
    const result = hosts.call();
    owner.reply(await owner.nextCall(), 'A', 'S{"bytes":3}', encodeChunk({ index: 0, bytes: new Uint8Array(3) }));
    await expect(result).rejects.toMatchObject({ code: 'invalid-message' });
  });
});

test('a host that sends more than it announced, or in another order, is refused', async () => {
  const callTool = vi.fn();
  const { principals, edgeBus, serving, caller } = await twoHosts({ callTool });
  caller.close();
  const replyTo = `reply.edge.call.${'2'.repeat(32)}.owner`;
  const principal = await principals.tokenFor('owner');
  const request = { v: 1, incarnation: 7, tool: 'read', timeoutMs: 1_000, principal, bytes: 10 };
  for (const chunk of [
    { index: 1, bytes: new Uint8Array(1) },
    { index: 0, bytes: new Uint8Array(11) },
  ]) {
    const replies: string[] = [];
    const over = new Promise<void>((resolve) => {
      edgeBus.subscribe(replyTo, ({ data }) => {
        replies.push(new TextDecoder().decode(data));
        if (replies.length === 1) edgeBus.publish('call.owner.files.edge', encodeChunk(chunk), { replyTo });
        else resolve();
      });
    });
    edgeBus.publish('call.owner.files.edge', new TextEncoder().encode(JSON.stringify(request)), { replyTo });
    await over;
    expect(replies[0]).toBe('R{"upTo":8}');
    expect(replies.at(-1)).toContain('"fleet":"invalid-message"');
  }
  expect(serving.inFlight).toBe(0);
  expect(callTool).not.toHaveBeenCalled();
});
