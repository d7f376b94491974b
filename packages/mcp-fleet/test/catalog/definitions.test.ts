import { isSameJson } from '@x/internal/json';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodePermissions, replySubject } from '../../src/bus/fleet-subjects.js';
import { DefineClient } from '../../src/catalog/define-client.js';
import { encodeDigests, serveDefinitions } from '../../src/catalog/define-service.js';
import { type Definition, defineTool, digestOf } from '../../src/catalog/definition.js';
import { DefinitionStore } from '../../src/catalog/definition-store.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import { tool } from '../helpers/offered.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const encoder = new TextEncoder();
/** Halves of pairs and control characters included. */
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

function setUp({ maxPayloadBytes = 1024 * 1024 } = {}) {
  const broker = createMemoryBroker({ maxPayloadBytes });
  const store = new DefinitionStore();
  const client = new DefineClient({ bus: broker.connect(), node: 'b', store });
  const has = (digest: string) => store.tool(digest) !== undefined;
  let requests = 0;
  const serve = (definitions: readonly Definition[]) => {
    const known = new Map(definitions.map((definition) => [definition.digest, definition]));
    serveDefinitions({ bus: broker.connect(), node: 'a', find: (digest) => known.get(digest) });
    broker.connect().subscribe('define.a.*', () => {
      requests += 1;
    });
  };
  /** An owner that answers each request with that. */
  const answer = (text: () => string | undefined) => {
    const bus = broker.connect();
    bus.subscribe('define.a.*', ({ replyTo }) => {
      requests += 1;
      const given = text();
      if (replyTo !== undefined && given !== undefined) bus.publish(replyTo, encoder.encode(given));
    });
  };
  return { broker, store, client, has, serve, answer, requests: () => requests };
}

describe('definitions', () => {
  test('have the same digest for any order of their keys', () => {
    const a = defineTool({ name: 'x', inputSchema: { b: 1, a: [{ d: 1, c: 2 }] } });
    const b = defineTool({ inputSchema: { a: [{ c: 2, d: 1 }], b: 1 }, name: 'x' });
    expect(a).toEqual(b);
    expect(a.digest).toHaveLength(24);
  });

  test('are the JSON of the tool', () => {
    fc.assert(
      fc.property(anyText, fc.jsonValue({ maxDepth: 2 }), (text, value) => {
        const written = { [text]: value, text };
        expect(JSON.parse(defineTool(written).text)).toEqual(JSON.parse(JSON.stringify(written)));
        expect(defineTool([text]).text).toBe(JSON.stringify([text]));
      }),
    );
  });

  test('are shared by two objects only if these are equal', () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    fc.assert(
      fc.property(fc.array(value), fc.array(value), (a, b) => {
        const [before, copy] = [defineTool(a), structuredClone(a)];
        expect(isSameJson(a, copy)).toBe(true);
        expect(defineTool(copy, a)).toBe(before);
        expect(defineTool(b, a)).toEqual(defineTool(structuredClone(b)));
      }),
    );
    const unlike = [
      {},
      [],
      [1],
      [1, 2],
      Object.assign(new Array<number>(2), { 1: 2 }),
      { a: 1 },
      { b: 1 },
      { a: undefined },
      { a: 1, b: 2 },
      [undefined],
      new Date(0),
      new Date(1),
    ];
    for (const [index, one] of unlike.entries()) {
      expect(unlike.map((other) => isSameJson(one, other)).filter(Boolean)).toHaveLength(1);
      expect(isSameJson(one, unlike[index])).toBe(true);
    }
  });

  test('reflect any change of an object', () => {
    const changing = { name: 'x', inputSchema: { properties: {} as Record<string, unknown> } };
    const before = defineTool(changing);
    expect(defineTool(changing)).toBe(before);
    changing.inputSchema.properties.path = { type: 'string' };
    const after = defineTool(changing);
    expect(after).toEqual(defineTool(structuredClone(changing)));
    expect(after.digest).not.toBe(before.digest);
    expect(JSON.parse(before.text).inputSchema).toEqual({ properties: {} });
    changing.inputSchema.properties.depth = { type: 'number' };
    expect(JSON.parse(defineTool(structuredClone(changing), changing).text)).toEqual(changing);
  });

  test('have the same digest in any release', () => {
    expect(digestOf('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7AD');
  });

  test('with a key like __proto__ are restored and change no other object', () => {
    const store = new DefinitionStore();
    const text = '{"__proto__":{"polluted":true},"inputSchema":{"type":"object"},"name":"x"}';
    const digest = store.add(text) ?? '';
    expect(digest).toBe(digestOf(text));
    expect(defineTool(store.tool(digest) ?? {}).text).toBe(text);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test.each(['', 'x', '7', 'null', '{}', '{"name":7}', '{"name":"x"}', '[["x"]]', `${'['.repeat(100_000)}`])(
    'that are none are not kept: %.20s',
    (text) => {
      expect(new DefinitionStore().add(text)).toBeUndefined();
    },
  );

  test('that are nested too deeply are neither created nor stored', () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
    const deepest = { name: 'x', inputSchema: nested(498) };
    const deeper = { name: 'x', inputSchema: nested(499) };
    const { text, digest } = defineTool(deepest);
    const store = new DefinitionStore();
    expect(store.add(text)).toBe(digest);
    expect(store.add(JSON.stringify(deeper))).toBeUndefined();
    expect(store.announce(text.replace('{}', `${'['.repeat(50_000)}${']'.repeat(50_000)}`))).toBeUndefined();
    expect(() => defineTool(deeper)).toThrow(RangeError);
  });

  test('are evicted, the least recently used first', () => {
    const texts = ['a', 'b', 'c'].map((name) => defineTool(tool(name, 'x'.repeat(100))).text);
    const store = new DefinitionStore((texts[0]?.length ?? 0) * 2);
    const [a = '', b = ''] = texts.slice(0, 2).map((text) => store.add(text));
    expect(store.tool(a)?.name).toBe('a');
    store.add(texts[2] ?? '');
    expect(store.tool(a)?.name).toBe('a');
    expect(store.tool(b)).toBeUndefined();
  });

  test('never exceed the capacity', () => {
    const texts = Array.from({ length: 12 }, (_, index) => defineTool(tool(`t${index}`, 'x'.repeat(100 * index))).text);
    const step = fc.tuple(fc.constantFrom('add', 'announce', 'ask' as const), fc.constantFrom(...texts));
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const store = new DefinitionStore(2_000, 1_500);
        for (const [what, text] of steps) {
          const digest = what === 'ask' ? store.tool(digestOf(text)) && digestOf(text) : store[what](text);
          if (digest !== undefined) expect(store.has(digest)).toBe(true);
          const kept = texts.filter((each) => store.has(digestOf(each)));
          expect(kept.reduce((length, each) => length + each.length, 0)).toBeLessThanOrEqual(3_500);
        }
      }),
    );
  });

  test('that are unused never evict those in use', () => {
    const texts = Array.from({ length: 100 }, (_, index) => defineTool(tool(`t${index}`, 'x'.repeat(100))).text);
    const [wanted = '', asked = '', ...others] = texts;
    const store = new DefinitionStore(wanted.length * 3, wanted.length * 3);
    const digest = store.add(wanted) ?? '';
    store.announce(asked);
    expect(store.tool(digestOf(asked))?.name).toBe('t1');
    for (const other of others) store.announce(other);
    expect(store.tool(digest)?.name).toBe('t0');
    expect(store.has(digestOf(asked))).toBe(true);
    expect(others.filter((other) => store.has(digestOf(other)))).toEqual(others.slice(-2));
  });
});

describe('definitions of another node', () => {
  test('are fetched once each, in as many replies as they need', async () => {
    const { serve, client, store, has, requests } = setUp({ maxPayloadBytes: 8 * 1024 });
    const definitions = Array.from({ length: 50 }, (_, index) => defineTool(tool(`t${index}`, 'x'.repeat(500))));
    serve(definitions);
    const digests = definitions.map(({ digest }) => digest);
    await Promise.all([client.fetch('a', digests, has), client.fetch('a', digests, has)]);
    expect(digests.map((digest) => store.tool(digest)?.name)).toEqual(definitions.map((_, index) => `t${index}`));
    expect(requests()).toBeLessThan(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are all available after a fetch, however full the store is', async () => {
    const [known, wanted] = ['known', 'wanted'].map((word) =>
      Array.from({ length: 20 }, (_, index) => defineTool(tool(`${word}${index + 10}`, 'x'.repeat(100)))),
    ) as [Definition[], Definition[]];
    const size = wanted.reduce((length, { text }) => length + text.length, 0);
    const { serve, broker } = setUp();
    const store = new DefinitionStore(size);
    const client = new DefineClient({ bus: broker.connect(), node: 'c', store });
    for (const { text, digest } of known) expect(store.add(text) && store.tool(digest)).toBeDefined();
    serve(wanted);
    const digests = wanted.map(({ digest }) => digest);
    await client.fetch('a', digests, (digest) => store.tool(digest) !== undefined);
    expect(digests.filter((digest) => !store.has(digest))).toEqual([]);
  });

  test('that the node no longer has are omitted', async () => {
    const { serve, client, store, has } = setUp();
    const [known, gone] = [defineTool(tool('known')), defineTool(tool('gone'))];
    serve([known]);
    await client.fetch('a', [gone.digest, known.digest], has);
    expect(store.tool(known.digest)?.name).toBe('known');
    expect(store.tool(gone.digest)).toBeUndefined();
  });

  test('fail at once for a node that is not connected', async () => {
    const { client, has } = setUp();
    await expect(client.fetch('a', ['x'], has)).rejects.toMatchObject({ code: 'node-unreachable', node: 'a' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('time out together for all fetches from a node that does not reply', async () => {
    const { client, has, answer, requests } = setUp();
    answer(() => undefined);
    const waiting = Array.from({ length: 50 }, (_, index) => client.fetch('a', [`x${index}`], has));
    const settled = Promise.allSettled(waiting);
    await pass(10_000);
    expect((await settled).every((result) => result.status === 'rejected' && result.reason.code === 'timed-out')).toBe(
      true,
    );
    expect(requests()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('with another digest do not satisfy a request', async () => {
    const { client, has, store, answer, requests } = setUp();
    const wanted = defineTool(tool('wanted'));
    answer(() => defineTool(tool('other')).text);
    await client.fetch('a', [wanted.digest], has);
    expect(store.tool(wanted.digest)).toBeUndefined();
    expect(requests()).toBe(1);
  });

  test('are read up to the first malformed line of a reply', async () => {
    const { client, has, store, answer } = setUp();
    const [first, second] = [defineTool(tool('first')), defineTool(tool('second'))];
    answer(() => `${first.text}${'\n'.repeat(100_000)}${second.text}`);
    await client.fetch('a', [first.digest, second.digest], has);
    expect(store.tool(first.digest)?.name).toBe('first');
    expect(store.tool(second.digest)).toBeUndefined();
  });

  test('are limited in total for a node that sends without end', async () => {
    const { client, has, answer } = setUp();
    const wanted = Array.from({ length: 1_000 }, (_, index) => defineTool(tool(`t${index}`)));
    let index = 0;
    const filler = 'x'.repeat(512 * 1024);
    answer(() => `${wanted[index++]?.text}\n${filler}`);
    const fetching = client.fetch(
      'a',
      wanted.map(({ digest }) => digest),
      has,
    );
    await expect(fetching).rejects.toMatchObject({ code: 'message-too-large', node: 'a' });
    expect(index).toBeLessThan(200);
  });

  test('are not requested after the node has left', async () => {
    const { client, has, answer, requests } = setUp();
    answer(() => undefined);
    const settled = Promise.allSettled([client.fetch('a', ['x'], has), client.fetch('a', ['y'], has)]);
    await pass(1);
    client[Symbol.dispose]();
    expect((await settled).map((result) => result.status === 'rejected' && result.reason.code)).toEqual([
      'closed',
      'closed',
    ]);
    await expect(client.fetch('a', ['z'], has)).rejects.toMatchObject({ code: 'closed' });
    expect(requests()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are sent only to the node that requests them', async () => {
    const { broker, serve } = setUp();
    const definition = defineTool(tool('read'));
    serve([definition]);
    const heard: string[] = [];
    const victim = broker.connect({ node: 'b', permissions: nodePermissions('b') });
    for (const subject of ['control.b.*', 'reply.b.>']) victim.subscribe(subject, ({ subject }) => heard.push(subject));
    const requester = broker.connect({ node: 'c' });
    const ask = (replyTo: string) => requester.publish('define.a.c', encodeDigests([definition.digest]), { replyTo });
    ask('control.b.a');
    ask(replySubject({ kind: 'define', requester: 'b', responder: 'a' }, crypto.randomUUID()));
    ask('reply.c.define.short.a');
    await requester.flush();
    await pass(1);
    expect(heard).toEqual([]);
  });
});
