import { createRegistry, type RoleRules } from '@x/mcp-registry';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import { type AnsweringOptions, type ClientKind, overHttp, overStdio } from '../helpers/answering-client.js';
import { type Ask, asking, attachAll, createAskingUpstream, toText } from '../helpers/asking-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const form = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  'x/a': 1,
};
const words = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5, 'x/b': [2] };
const SAMPLED = { model: 'm', role: 'assistant', content: { type: 'text', text: 'Hello' } };
const roles: RoleRules = [{ role: 'guest', allowedTools: ['old.form'] }];

const ways = (['v1', 'legacy'] as const).flatMap((kind) =>
  (['stdio', 'HTTP'] as const).map((way) => ({ kind, way, name: `${kind} client over ${way}` })),
);

interface Opening extends Partial<GatewayOptions> {
  readonly era?: 'legacy' | 'modern';
  /** Further servers, without tools. */
  readonly others?: readonly string[];
}

async function open(asks: Readonly<Record<string, Ask>>, { era = 'legacy', others = [], ...options }: Opening = {}) {
  const registry = createRegistry({ roles });
  const old = createAskingUpstream('old', era, asks);
  const servers = [old, ...others.map((name) => createAskingUpstream(name, era, {}))];
  const upstreams = await attachAll(registry, servers);
  const gateway = createGateway({ registry, upstreams, ...options });
  opened.push(registry, gateway);
  return { gateway, old, servers, upstreams };
}

type Opened = Awaited<ReturnType<typeof open>>;

describe.each(ways)('$name', ({ kind, way }) => {
  const connector = async ({ gateway }: Opened) => {
    const connect = way === 'stdio' ? overStdio(gateway) : await overHttp(gateway, opened);
    return async (options?: AnsweringOptions, audience?: { role?: string; principal?: string }) => {
      const client = await connect(kind as ClientKind, options, audience);
      opened.push(client);
      return client;
    };
  };
  const parse = ({ content }: { content: { text: string }[] }) => JSON.parse(content[0]?.text ?? '');

  test('the client gets every server request during its call, except for roots of a shared connection', async () => {
    const gatewayWith = await open({
      all: async (options) =>
        toText([
          await asking('elicitation/create', form)(options),
          await asking('sampling/createMessage', words)(options),
          await asking('roots/list')(options),
        ]),
    });
    const asked: unknown[] = [];
    const answers = {
      elicitation: (params: unknown) => {
        asked.push(params);
        return { action: 'accept', content: { name: 'Ada' }, 'x/kept': true };
      },
      sampling: (params: unknown) => {
        asked.push(params);
        return { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm', 'x/kept': true };
      },
      roots: () => ({ roots: [{ uri: 'file:///a' }], 'x/kept': true }),
    };
    const client = await (await connector(gatewayWith))({ answers });
    const result = await client.request('tools/call', { name: 'mcp__old__all', arguments: {} });
    expect(asked).toMatchObject([{ message: 'Who?' }, { maxTokens: 5 }]);
    expect(parse(result)).toMatchObject([
      { action: 'accept', content: { name: 'Ada' }, 'x/kept': true },
      { content: { type: 'text', text: 'Hello' }, 'x/kept': true },
      way === 'stdio' ? { roots: [{ uri: 'file:///a' }], 'x/kept': true } : { refused: { code: -32_601 } },
    ]);
  });

  test('a read, a prompt and a completion may send server requests, too', async () => {
    const ask = asking('sampling/createMessage', words);
    const gatewayWith = await open({
      ask: async (options, params) => {
        const text = JSON.stringify(await ask(options));
        if ('uri' in params) return { contents: [{ uri: params.uri, text }] };
        if ('ref' in params) return { completion: { values: [text] } };
        return { messages: [{ role: 'user', content: { type: 'text', text } }] };
      },
    });
    const client = await (await connector(gatewayWith))({ answers: { sampling: () => SAMPLED } });
    const read = await client.request('resources/read', { uri: 'mcp+old:ask:ask' });
    const prompt = await client.request('prompts/get', { name: 'mcp__old__ask' });
    const ref = { type: 'ref/prompt', name: 'mcp__old__ask' };
    const completed = await client.request('completion/complete', { ref, argument: { name: 'topic', value: '' } });
    const texts = [read.contents[0].text, prompt.messages[0].content.text, completed.completion.values[0]];
    expect(texts).toEqual(Array(3).fill(JSON.stringify(SAMPLED)));
  });

  test('the client gets no server request for a capability that it has not declared', async () => {
    const questions: readonly [string, Record<string, unknown>][] = [
      ['sampling/createMessage', words],
      ['sampling/createMessage', { ...words, tools: [] }],
      ['elicitation/create', form],
      ['elicitation/create', { mode: 'url', url: 'https://example.com', message: 'Go', elicitationId: 'e' }],
      ['roots/list', {}],
      ['tasks/get', { taskId: 'x' }],
    ];
    const gatewayWith = await open({
      all: async (options) =>
        toText(await Promise.all(questions.map(([method, params]) => asking(method, params)(options)))),
    });
    const connect = await connector(gatewayWith);
    const codesOf = async (options: AnsweringOptions) => {
      const client = await connect(options);
      const answered = parse(await client.request('tools/call', { name: 'mcp__old__all', arguments: {} }));
      return answered.map(({ refused }: { refused?: { code: number } }) => refused?.code);
    };
    expect(await codesOf({})).toEqual(Array(6).fill(-32_601));
    const answers = {
      elicitation: () => ({ action: 'decline' }),
      sampling: () => ({ role: 'assistant', content: { type: 'text', text: '' }, model: 'm' }),
    };
    const capabilities = { sampling: {}, elicitation: {} };
    expect(await codesOf({ answers, capabilities })).toEqual([
      undefined,
      -32_602,
      undefined,
      -32_602,
      -32_601,
      -32_601,
    ]);
  });

  test('the client’s refusal of a server request reaches the server unchanged', async () => {
    const gatewayWith = await open({
      ask: async (options) => toText(await asking('sampling/createMessage', words)(options)),
    });
    const sampling = () => {
      throw Object.assign(new Error('Not allowed'), { code: -1, data: { why: 'user' } });
    };
    const client = await (await connector(gatewayWith))({ answers: { sampling } });
    const { refused } = parse(await client.request('tools/call', { name: 'mcp__old__ask', arguments: {} }));
    expect(refused).toMatchObject({ code: -1, message: expect.stringContaining('Not allowed') });
  });

  test('cancelling a call withdraws the server request and ends the call at the server', async () => {
    const ended = signalled();
    const gatewayWith = await open({
      ask: async (options) => {
        await asking('sampling/createMessage', words)(options); // clients of 1.x cannot take back the first question of all, whose id is 0
        options.signal?.addEventListener('abort', ended.tell);
        return toText(await asking('elicitation/create', form)(options));
      },
    });
    const cancel = new AbortController();
    const takenBack = signalled();
    const elicitation = (_: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', takenBack.tell);
      cancel.abort();
      return new Promise(() => {});
    };
    const answers = { elicitation, sampling: () => SAMPLED };
    const client = await (await connector(gatewayWith))({ answers });
    const call = client.request('tools/call', { name: 'mcp__old__ask', arguments: {} }, { signal: cancel.signal });
    await expect(call).rejects.toThrow();
    await Promise.all([ended.told, takenBack.told]);
  });

  test('each client gets the server requests of its own calls only', async () => {
    const gatewayWith = await open({
      ask: async (options) => toText(await asking('sampling/createMessage', words)(options)),
    });
    const connect = await connector(gatewayWith);
    const names = ['ada', 'bob', 'cyd'];
    const clients = await Promise.all(
      names.map((name) => connect({ answers: { sampling: () => ({ ...SAMPLED, model: name }) } })),
    );
    const call = { name: 'mcp__old__ask', arguments: {} };
    const asked = Array.from({ length: 30 }, (_, n) => n % 3);
    const results = await Promise.all(asked.map((n) => clients[n]?.request('tools/call', call)));
    expect(results.map((result) => parse(result).model)).toEqual(asked.map((n) => names[n]));
    const handlers = gatewayWith.old.requests.map(({ options }) => options.handler?.client);
    expect(new Set(handlers).size).toBe(3);
    expect(new Set(handlers).has(undefined)).toBe(false);
  });

  test('only the client that was sent to a page is notified of its completion', async () => {
    const gatewayWith = await open({
      page: async (options, { arguments: args }) => {
        const page = { mode: 'url', url: 'https://example.com', message: 'Go', ...(args as object) };
        return toText(await asking('elicitation/create', page)(options));
      },
      needed: async () => {
        const elicitations = [{ mode: 'url', url: 'https://example.com', message: 'Go', elicitationId: 'n1' }];
        throw Object.assign(new Error('Go first'), { code: -32_042, data: { elicitations } });
      },
    });
    const connect = await connector(gatewayWith);
    const ids: string[] = [];
    const elicitation = ({ elicitationId }: { elicitationId: string }) => {
      ids.push(elicitationId);
      return { action: 'accept' };
    };
    const [ada, bob] = [await connect({ answers: { elicitation } }), await connect({ answers: { elicitation } })];
    await ada.request('tools/call', { name: 'mcp__old__page', arguments: { elicitationId: 'e1' } });
    await bob.request('tools/call', { name: 'mcp__old__page', arguments: { elicitationId: 'e2' } });
    const needed = bob.request('tools/call', { name: 'mcp__old__needed', arguments: {} });
    await expect(needed).rejects.toMatchObject({ code: -32_042 });
    await bob.request('tools/call', { name: 'mcp__old__page', arguments: {} });
    expect(ids).toEqual(['e1', 'e2', expect.stringMatching(/^[\w-]{36}$/)]);
    const { emitter } = gatewayWith.upstreams;
    for (const elicitationId of ['e2', 'e1', 'n1', 'n1', 'unknown']) {
      emitter.emit('elicitation-completed', { server: 'old', elicitationId });
    }
    emitter.emit('elicitation-completed', { server: 'other', elicitationId: 'e1' });
    await until(() => bob.told.length === 2 && ada.told.length === 1);
    await ada.request('tools/list', {});
    const told = (client: typeof ada) => client.told.map(({ method, params }) => [method, params.elicitationId]);
    expect(told(ada)).toEqual([['notifications/elicitation/complete', 'e1']]);
    expect(told(bob).map(([, id]) => id)).toEqual(['e2', 'n1']);
  });

  test('a client without support for pages only gets the error', async () => {
    const errors: Error[] = [];
    const elicitations = [{ mode: 'url', url: 'https://example.com', message: 'Go', elicitationId: 'n1' }];
    const needed: Ask = async () => {
      throw Object.assign(new Error('Go first'), { code: -32_042, data: { elicitations } });
    };
    const gatewayWith = await open({ needed }, { onError: (error) => errors.push(error) });
    const client = await (await connector(gatewayWith))({ capabilities: { elicitation: {} } });
    const call = client.request('tools/call', { name: 'mcp__old__needed', arguments: {} });
    await expect(call).rejects.toMatchObject({ code: -32_042 });
    gatewayWith.upstreams.emitter.emit('elicitation-completed', { server: 'old', elicitationId: 'n1' });
    await client.notify('notifications/roots/list_changed').catch(() => undefined); // libraries may refuse that, too
    await client.request('tools/list', {});
    expect([client.told, errors, gatewayWith.old.rootsChanges]).toEqual([[], [], 0]);
  });

  test('a change of roots is forwarded to the servers that the client may use, if it is the only client', async () => {
    const gatewayWith = await open({ form: async () => toText(1) }, { others: ['secret'] });
    const connect = await connector(gatewayWith);
    const client = await connect({ answers: { roots: () => ({ roots: [] }) } }, { role: 'guest' });
    await client.notify('notifications/roots/list_changed');
    await client.request('tools/list', {});
    expect(gatewayWith.servers.map(({ rootsChanges }) => rootsChanges)).toEqual([way === 'stdio' ? 1 : 0, 0]);
    await connect();
    await client.notify('notifications/roots/list_changed');
    await client.request('tools/list', {});
    expect(gatewayWith.servers.map(({ rootsChanges }) => rootsChanges)).toEqual([way === 'stdio' ? 1 : 0, 0]);
  });

  test('a server’s connection has no roots if there are several clients', async () => {
    const gatewayWith = await open({ ask: async (options) => toText(await asking('roots/list')(options)) });
    const connect = await connector(gatewayWith);
    const roots = () => ({ roots: [{ uri: 'file:///etc' }] });
    const [ada, bob] = [await connect({ answers: { roots } }), await connect()];
    const call = { name: 'mcp__old__ask', arguments: {} };
    expect(parse(await ada.request('tools/call', call)).refused.code).toBe(-32_601);
    expect(gatewayWith.old.requests[0]?.options.handler?.capabilities).toEqual({});
    await bob[Symbol.asyncDispose]();
    const alone = parse(await ada.request('tools/call', call));
    expect(alone).toMatchObject(way === 'stdio' ? { roots: [{ uri: 'file:///etc' }] } : { refused: { code: -32_601 } });
  });

  test('a server of revision 2026-07-28 gets the client’s capabilities, and the gateway repeats requests for it', async () => {
    const gatewayWith = await open(
      { ask: async (options) => toText(await asking('roots/list')(options)) },
      { era: 'modern' },
    );
    const client = await (await connector(gatewayWith))({ answers: { roots: () => ({ roots: [] }) } });
    const result = await client.request('tools/call', { name: 'mcp__old__ask', arguments: {} });
    expect(parse(result)).toMatchObject({ roots: [] });
    const { options } = gatewayWith.old.requests[0] ?? {};
    expect(options?.inputRequired ?? 'answer').toBe('answer');
    expect(options?.handler?.capabilities).toEqual({ roots: { listChanged: true } });
  });
});

test('a client that does not respond in time counts as declining', async () => {
  const registry = createRegistry();
  const old = createAskingUpstream('old', 'legacy', {
    ask: async (options) => toText(await asking('roots/list')(options)),
  });
  const gateway = createGateway({ registry, upstreams: await attachAll(registry, [old]), inputTimeoutMs: 20 });
  const client = await overStdio(gateway)('v1', { answers: { roots: () => new Promise(() => {}) } });
  opened.push(registry, gateway, client);
  const { content } = await client.request('tools/call', { name: 'mcp__old__ask', arguments: {} });
  expect(JSON.parse(content[0].text).refused).toMatchObject({
    code: -32_603,
    message: expect.stringContaining('did not respond'),
  });
});

function signalled() {
  let tell = () => {};
  const told = new Promise<void>((resolve) => (tell = resolve));
  return { told, tell };
}

/** Looks again whenever the event loop has come round. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
