import type { SourceToolResult } from '@x/internal/contracts';
import { describe, expect, test, vi } from 'vitest';
import { encodeChunk } from '../../src/calls/wire/chunks.js';
import { ScriptedOwner } from './scripted-owner.js';
import { textResult, twoNodes } from './two-nodes.js';

const MIB = 1024 * 1024;
/** So much that every part of it is different. */
const longText = (length: number) =>
  Array.from({ length: Math.ceil(length / 8) }, (_, index) => `${index}`.padEnd(8))
    .join('')
    .slice(0, length);

function textOf({ content }: SourceToolResult): unknown {
  return content[0]?.text;
}

describe('a payload longer than one message of the bus', () => {
  test.each([1_000, 512 * 1024, MIB, 5 * MIB])('arrives as it was: a result of %i bytes', async (length) => {
    const text = longText(length);
    const { call, serving } = await twoNodes({ callTool: async () => textResult(text) });
    expect(textOf(await call()) === text).toBe(true);
    expect(serving.inFlight).toBe(0);
  });

  test.each([1_000, 512 * 1024, MIB, 5 * MIB])('arrives as it was: arguments of %i bytes', async (length) => {
    const text = longText(length);
    const { call } = await twoNodes({ callTool: async (_tool, { given }) => textResult(`${given === text}`) });
    expect(textOf(await call('write', { given: text }))).toBe('true');
  });

  test('arrives as it was on a bus that takes next to nothing', async () => {
    const text = longText(20_000);
    const nodes = await twoNodes({
      maxPayloadBytes: 1_000,
      callTool: async (_tool, { given }) => textResult(`${given}`),
    });
    expect(textOf(await nodes.call('echo', { given: text }))).toBe(text);
  });

  test('arrives as it was, and with it what else the call is given', async () => {
    const requestState = longText(MIB);
    const { call } = await twoNodes({
      callTool: async (_tool, _args, { params, meta }) =>
        textResult(`${params?.requestState === requestState} ${meta?.x}`),
    });
    expect(textOf(await call('read', {}, { params: { requestState }, meta: { x: 1 } }))).toBe('true 1');
  });

  test.each([1_000, 1_024 * 1_024])(
    'arrives unchanged with any characters: on a bus that takes %i bytes',
    async (max) => {
      const nodes = await twoNodes({
        maxPayloadBytes: max,
        callTool: async (_tool, given) => ({ content: [], given }),
      });
      const letters = 'a\n"\\\u0000\uFEFFä€日😀';
      const given = {
        ...{ text: letters.repeat(2_000), short: letters, first: `\uFEFF${longText(3_000)}` },
        half: `${longText(3_000)}\uD83D`,
        halves: '\uDE00\uD83D'.repeat(1_000),
        list: [letters.repeat(500), { blob: longText(2_000) }, [], ''],
      };
      const { given: got } = await nodes.call('echo', given);
      expect(JSON.stringify(got)).toBe(JSON.stringify(given));
    },
  );

  test('arrives as it was in a key that all objects seem to have', async () => {
    const { call } = await twoNodes({ callTool: async (_tool, given) => ({ content: [], given }) });
    const json = JSON.stringify({ text: longText(2_000) }).replace('text', '__proto__');
    const { given: got } = await call('echo', { deep: JSON.parse(json) });
    expect(JSON.stringify(got)).toBe(`{"deep":${json}}`);
  });

  test('never waits in the broker in more than eight parts', async () => {
    const nodes = await twoNodes({ maxPayloadBytes: 1_000, callTool: async () => textResult(longText(50_000)) });
    let waiting = 0;
    let most = 0;
    nodes.broker.connect().subscribe('reply.>', ({ data }) => {
      if (data[0] === 'C'.charCodeAt(0)) waiting += 1;
      most = Math.max(most, waiting);
    });
    nodes.broker.connect().subscribe('control.>', ({ data }) => {
      if (new TextDecoder().decode(data).includes('credit')) waiting -= 4;
    });
    await nodes.call();
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(8);
  });

  test('is refused by the caller’s own node when its arguments are too long, before anything is sent', async () => {
    const callTool = vi.fn();
    const { call } = await twoNodes({ callTool, limits: { maxArgsBytes: 1_000 } });
    const expected = { code: 'message-too-large', message: expect.stringContaining('1000'), retryable: false };
    await expect(call('write', { text: 'x'.repeat(2_000) })).rejects.toMatchObject(expected);
    expect(callTool).not.toHaveBeenCalled();
  });

  test('is refused by the caller’s own node when its arguments are too long in bytes alone', async () => {
    const { call } = await twoNodes({ maxPayloadBytes: 1_000, limits: { maxArgsBytes: 1_000 } });
    await expect(call('write', { text: 'ä'.repeat(900) })).rejects.toMatchObject({ code: 'message-too-large' });
  });

  test('is refused by the owner when it takes less than the caller sends', async () => {
    const callTool = vi.fn();
    const { call } = await twoNodes({ callTool, limits: { maxArgsBytes: MIB }, edgeLimits: { maxArgsBytes: 4 * MIB } });
    await expect(call('write', { text: 'x'.repeat(2 * MIB) })).rejects.toMatchObject({
      code: 'message-too-large',
      message: expect.stringContaining('nothing was run'),
      node: 'owner',
    });
    expect(callTool).not.toHaveBeenCalled();
  });

  test.each(['x', 'ä'])('is refused by the owner when a result is longer than it sends: of %s', async (letter) => {
    const { call } = await twoNodes({
      limits: { maxResultBytes: 1_000 },
      callTool: async () => textResult(letter.repeat(letter === 'x' ? 2_000 : 700)),
    });
    const expected = { code: 'result-too-large', message: expect.stringContaining('has run'), retryable: false };
    await expect(call()).rejects.toMatchObject(expected);
  });

  test('is refused by the caller’s own node when it takes less than the owner sends, and the owner stops', async () => {
    const { call, serving, ownerBus } = await twoNodes({
      maxPayloadBytes: 1_000,
      edgeLimits: { maxResultBytes: 10_000 },
      limits: {},
      callTool: async () => textResult('x'.repeat(50_000)),
    });
    await expect(call()).rejects.toMatchObject({ code: 'result-too-large', message: expect.stringContaining('10000') });
    await ownerBus.flush();
    expect(serving.inFlight).toBe(0);
  });

  test('is rejected by the caller’s own node when its limit is below one message', async () => {
    const { call } = await twoNodes({
      edgeLimits: { maxResultBytes: 1_000 },
      limits: {},
      callTool: async (_tool, { length }) => textResult('x'.repeat(Number(length))),
    });
    await expect(call('read', { length: 1_000 })).rejects.toMatchObject({
      code: 'result-too-large',
      message: expect.stringContaining('1000'),
    });
    expect(await call('read', { length: 900 })).toEqual(textResult('x'.repeat(900)));
  });

  test('is limited in total over all arguments in transfer', async () => {
    const { call, edgeBus } = await twoNodes({ maxPayloadBytes: 1_000, limits: { maxArgsBytes: 5_000 } });
    const text = 'x'.repeat(4_000);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => call('write', { text })));
    const failed = results.filter(({ status }) => status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    for (const result of failed) expect(result).toMatchObject({ reason: { code: 'busy', retryable: true } });
    await edgeBus.flush();
    expect(await call('write', { text })).toEqual(textResult('done'));
  });

  test('is shortened when it is an error of a source', async () => {
    const { call } = await twoNodes({
      maxPayloadBytes: 1_000,
      callTool: async () => {
        throw Object.assign(new Error('x'.repeat(5_000)), { code: -32000, data: 'y'.repeat(5_000) });
      },
    });
    await expect(call()).rejects.toMatchObject({ code: 'source-error', sourceCode: -32000, rpc: { code: -32000 } });
  });

  test('is cancelled while its arguments are in transfer, and nothing is run', async () => {
    const callTool = vi.fn();
    const { call, serving, ownerBus, edgeBus, broker } = await twoNodes({ callTool, maxPayloadBytes: 1_000 });
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
  ])('has an unknown outcome: %s', async (_, parts) => {
    const nodes = await twoNodes();
    nodes.serving.close();
    const owner = new ScriptedOwner(nodes.ownerBus);
    const result = nodes.call();
    const request = await owner.nextCall();
    owner.reply(request, 'A', ...(parts[0] === 'skip' ? parts.slice(1) : ['S{"bytes":10}', ...parts]));
    await expect(result).rejects.toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringContaining('has run'),
    });
    expect(await owner.nextControl()).toMatchObject({ type: 'cancel' });
  });

  test('is no JSON when it is put together wrongly', async () => {
    const nodes = await twoNodes();
    nodes.serving.close();
    const owner = new ScriptedOwner(nodes.ownerBus);
    const result = nodes.call();
    owner.reply(await owner.nextCall(), 'A', 'S{"bytes":3}', encodeChunk({ index: 0, bytes: new Uint8Array(3) }));
    await expect(result).rejects.toMatchObject({ code: 'invalid-message' });
  });
});

/** A 0, a part for the JSON, and one for the text. */
function twoParts(json: string, text: string): Uint8Array {
  const part = (of: string) => `\0\0${String.fromCharCode(of.length >> 8, of.length & 255)}${of}`;
  return Uint8Array.from(`\0${part(json)}${part(text)}`, (letter) => letter.charCodeAt(0));
}

describe('a text that a node sends beside its JSON, and that belongs nowhere', () => {
  const text = longText(2_000);
  const garbled: readonly [string, Uint8Array][] = [
    ['no place', twoParts('[{"args":{}},[]]', text)],
    ['a place that is not there', twoParts('[{"args":{}},[["args","text"]]]', text)],
    ['a place that all objects share', twoParts('[{"args":{}},[["args","__proto__","text"]]]', text)],
    ['a text that is cut', twoParts('[{"args":{"text":""}},[["args","text"]]]', text).subarray(0, -1)],
  ];

  test.each(garbled)('ends a call as what cannot be read, in one message or in parts: %s', async (_, bytes) => {
    const nodes = await twoNodes();
    nodes.serving.close();
    const owner = new ScriptedOwner(nodes.ownerBus);
    for (const messages of [
      [Uint8Array.from(['F'.charCodeAt(0), ...bytes])],
      [`S{"bytes":${bytes.byteLength}}`, encodeChunk({ index: 0, bytes })],
    ]) {
      const result = nodes.call();
      owner.reply(await owner.nextCall(), 'A', ...messages);
      await expect(result).rejects.toMatchObject({ code: 'invalid-message' });
      expect(await owner.nextControl()).toMatchObject({ type: 'cancel' });
    }
    expect(({} as { text?: unknown }).text).toBeUndefined();
  });

  test.each(garbled)('lets an owner run nothing, in one message or in parts: %s', async (_, bytes) => {
    const callTool = vi.fn();
    const { principals, edgeBus, serving, caller } = await twoNodes({ callTool });
    caller.close();
    const principal = await principals.tokenFor('owner');
    const head = { v: 1, incarnation: 7, tool: 'write', timeoutMs: 1_000, principal, bytes: bytes.byteLength };
    for (const [n, messages] of [
      [1, [bytes]],
      [2, [new TextEncoder().encode(JSON.stringify(head)), encodeChunk({ index: 0, bytes })]],
    ] as const) {
      const replyTo = `reply.edge.call.${`${n}`.repeat(32)}.owner`;
      const refusal = new Promise<string>((resolve) => {
        edgeBus.subscribe(replyTo, ({ data }) => {
          const text = new TextDecoder().decode(data);
          if (text.startsWith('R')) edgeBus.publish('call.owner.files.edge', messages[1] ?? bytes, { replyTo });
          else resolve(text);
        });
      });
      edgeBus.publish('call.owner.files.edge', messages[0], { replyTo });
      expect(await refusal).toContain('"fleet":"invalid-message"');
    }
    expect(serving.inFlight).toBe(0);
    expect(callTool).not.toHaveBeenCalled();
    expect(({} as { text?: unknown }).text).toBeUndefined();
  });
});

test('an owner that announces a result more than once is not taken to have one', async () => {
  const nodes = await twoNodes();
  nodes.serving.close();
  const owner = new ScriptedOwner(nodes.ownerBus);
  const result = nodes.call();
  owner.reply(await owner.nextCall(), 'A', 'S{"bytes":33554432}', 'S{"bytes":33554432}', 'F{"content":[]}');
  await expect(result).rejects.toMatchObject({ code: 'invalid-message' });
  expect(await owner.nextControl()).toMatchObject({ type: 'cancel' });
});

test('a node that sends more than it announced, or in another order, is refused', async () => {
  const callTool = vi.fn();
  const { principals, edgeBus, serving, caller } = await twoNodes({ callTool });
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
