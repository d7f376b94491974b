import type { SourceCallOptions } from '@x/internal/contracts';
import { createRegistry, type RoleRules } from '@x/mcp-registry';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import { type AnsweringOptions, overHttp, overStdio } from '../helpers/answering-client.js';
import { type Ask, asking, attachAll, createAskingUpstream, toText } from '../helpers/asking-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const words = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 };
const roles: RoleRules = [
  { role: 'one', allowedTools: ['old'] },
  { role: 'two', allowedTools: ['old'] },
];
const ACCEPTED = { action: 'accept', content: { name: 'Ada' } };
const ALL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
const INVALID = { code: -32_602, data: { reason: 'invalid_request_state' } };

async function open(asks: Readonly<Record<string, Ask>>, options: Partial<GatewayOptions> = {}) {
  const registry = createRegistry({ roles });
  const old = createAskingUpstream('old', 'legacy', asks);
  const gateway = createGateway({ registry, upstreams: await attachAll(registry, [old]), ...options });
  opened.push(registry, gateway);
  return { gateway, old };
}

const parse = ({ content }: { content: { text: string }[] }) => JSON.parse(content[0]?.text ?? '');
const call = (name: string, args: Record<string, unknown> = {}) => ({ name: `mcp__old__${name}`, arguments: args });
const askForm = async (options: SourceCallOptions) => toText(await asking('elicitation/create', form)(options));
const SAMPLED = { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' };

describe.each(['stdio', 'HTTP'] as const)('over %s', (way) => {
  const connector = async ({ gateway }: Awaited<ReturnType<typeof open>>) => {
    const connect = way === 'stdio' ? overStdio(gateway) : await overHttp(gateway, opened);
    return async (options?: AnsweringOptions, audience?: { role?: string; principal?: string }) => {
      const client = await connect('modern', options, audience);
      opened.push(client);
      return client;
    };
  };

  test('concurrent server requests come in one round, and later ones in the next', async () => {
    const gatewayWith = await open({
      all: async (options) => {
        const first = await Promise.all([
          asking('elicitation/create', form)(options),
          asking('sampling/createMessage', words)(options),
          asking('sampling/createMessage', words)(options),
        ]);
        return toText([...first, await asking('elicitation/create', { ...form, message: 'Sure?' })(options)]);
      },
    });
    const asked: string[] = [];
    const answers = {
      elicitation: ({ message }: { message: string }) => {
        asked.push(message);
        return ACCEPTED;
      },
      sampling: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' }),
    };
    const connect = await connector(gatewayWith);
    const itself = await connect({ answers });
    const result = await itself.request('tools/call', call('all'));
    expect(parse(result)).toMatchObject([ACCEPTED, { model: 'm' }, { model: 'm' }, ACCEPTED]);
    expect(asked).toEqual(['Who?', 'Sure?']);

    const client = await connect({ capabilities: ALL });
    const first = await client.once('tools/call', call('all'));
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        'question-1': { method: 'elicitation/create', params: form },
        'question-2': { method: 'sampling/createMessage', params: words },
        'question-3': { method: 'sampling/createMessage', params: words },
      },
      requestState: expect.stringMatching(/^mcp-gateway-call:[0-9a-f]{64}$/),
    });
    expect(gatewayWith.old.requests).toHaveLength(2);
  });

  test('reads of resources and prompts can request input, too', async () => {
    const gatewayWith = await open({
      ask: async (options, params) => {
        const text = JSON.stringify(await asking('sampling/createMessage', words)(options));
        if ('uri' in params) return { contents: [{ uri: params.uri, text }] };
        return { messages: [{ role: 'user', content: { type: 'text', text } }] };
      },
    });
    const client = await (await connector(gatewayWith))({ answers: { sampling: () => SAMPLED } });
    const read = await client.request('resources/read', { uri: 'mcp+old:ask:ask' });
    expect(read.contents).toEqual([{ uri: 'mcp+old:ask:ask', text: JSON.stringify(SAMPLED) }]);
    const prompt = await client.request('prompts/get', { name: 'mcp__old__ask', arguments: { topic: 'x' } });
    expect(prompt.messages[0].content.text).toBe(JSON.stringify(SAMPLED));
    expect(gatewayWith.old.requests).toHaveLength(2);
  });

  test('a completion cannot request input: the server request is refused', async () => {
    const gatewayWith = await open({
      ask: async (options) => ({
        completion: { values: [JSON.stringify(await asking('sampling/createMessage', words)(options))] },
      }),
    });
    const client = await (await connector(gatewayWith))({ answers: { sampling: () => SAMPLED } });
    const params = { ref: { type: 'ref/prompt', name: 'mcp__old__ask' }, argument: { name: 'topic', value: '' } };
    const { completion } = await client.request('completion/complete', params);
    expect(JSON.parse(completion.values[0]).refused.code).toBe(-32_601);
  });

  test('a server request for an undeclared capability is refused and never forwarded', async () => {
    const gatewayWith = await open({
      all: async (options) =>
        toText([
          await asking('elicitation/create', { mode: 'url', url: 'https://example.com', message: 'Go' })(options),
          await asking('sampling/createMessage', { ...words, tools: [] })(options),
          await asking('roots/list')(options),
        ]),
    });
    const connect = await connector(gatewayWith);
    for (const capabilities of [{}, { elicitation: {}, sampling: {} }]) {
      const client = await connect({ capabilities });
      const refused = parse(await client.request('tools/call', call('all')));
      const code = 'sampling' in capabilities ? -32_602 : -32_601;
      expect(refused.map((each: { refused: { code: number } }) => each.refused.code)).toEqual([code, code, -32_601]);
    }
  });

  test('a requestState is valid once, for the same caller, role, tool and arguments', async () => {
    const gatewayWith = await open({ form: askForm, other: askForm });
    const connect = await connector(gatewayWith);
    const client = await connect({ capabilities: ALL }, { principal: 'ada', role: 'one' });
    const others = [
      await connect({ capabilities: ALL }, { principal: 'bob', role: 'one' }),
      await connect({ capabilities: ALL }, { principal: 'ada', role: 'two' }),
      await connect({ capabilities: ALL }, { role: 'one' }),
    ];
    const { requestState } = await client.once('tools/call', call('form', { a: 1, b: { c: 2 } }));
    const inputResponses = { 'question-1': ACCEPTED };
    const retry = { ...call('form', { b: { c: 2 }, a: 1 }), requestState, inputResponses };
    for (const other of others) await expect(other.once('tools/call', retry)).rejects.toMatchObject(INVALID);
    for (const wrong of [
      { ...call('form', { a: 2, b: { c: 2 } }), requestState, inputResponses },
      { ...call('other', { a: 1, b: { c: 2 } }), requestState, inputResponses },
      { ...retry, requestState: `${requestState.slice(0, -1)}x` },
      { ...retry, requestState: 'mcp-gateway-call:' },
      { ...retry, requestState: 'from another server' },
    ]) {
      await expect(client.once('tools/call', wrong)).rejects.toMatchObject(INVALID);
    }
    expect(parse(await client.once('tools/call', retry))).toMatchObject(ACCEPTED);
    await expect(client.once('tools/call', retry)).rejects.toMatchObject(INVALID);
    expect(gatewayWith.old.requests).toHaveLength(1);
  });

  test('a missing response is requested again, an invalid one is an error, and an unexpected one is ignored', async () => {
    const gatewayWith = await open({
      two: async (options) =>
        toText(
          await Promise.all([
            asking('elicitation/create', form)(options),
            asking('sampling/createMessage', words)(options),
          ]),
        ),
    });
    const client = await (await connector(gatewayWith))({ capabilities: ALL });
    const first = await client.once('tools/call', call('two'));
    const inputResponses = { 'question-1': ACCEPTED, 'question-9': { action: 'accept' } };
    const second = await client.once('tools/call', { ...call('two'), ...stateOf(first), inputResponses });
    expect(second.inputRequests).toEqual({ 'question-2': { method: 'sampling/createMessage', params: words } });
    expect(second.requestState).not.toBe(first.requestState);
    const third = await client.once('tools/call', { ...call('two'), ...stateOf(second) });
    expect(third.inputRequests).toEqual({ 'question-2': { method: 'sampling/createMessage', params: words } });
    const wrong = { ...call('two'), ...stateOf(third), inputResponses: { 'question-2': { action: 'accept' } } };
    await expect(client.once('tools/call', wrong)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('question-2'),
      data: { keys: ['question-2'] },
    });
    const right = { ...wrong, inputResponses: { 'question-2': SAMPLED } };
    expect(parse(await client.once('tools/call', right))).toMatchObject([ACCEPTED, SAMPLED]);
  });

  test('progress goes to the current request', async () => {
    const gatewayWith = await open({
      ask: async (options) => {
        options.onProgress?.({ progress: 1 });
        const answer = await asking('sampling/createMessage', words)(options);
        options.onProgress?.({ progress: 2, message: 'almost' });
        return toText(answer);
      },
    });
    const client = await (await connector(gatewayWith))({ capabilities: ALL });
    const progress: unknown[][] = [[], []];
    const onprogress = (round: number) => (told: unknown) => progress[round]?.push(told);
    const first = await client.once('tools/call', call('ask'), { onprogress: onprogress(0) });
    const inputResponses = { 'question-1': SAMPLED };
    const retry = { ...call('ask'), ...stateOf(first), inputResponses };
    await client.once('tools/call', retry, { onprogress: onprogress(1) });
    expect(progress).toEqual([[{ progress: 1 }], [{ progress: 2, message: 'almost' }]]);
  });

  test('cancelling a request ends the call, in the first round and in later ones', async () => {
    const ended = [signalled(), signalled()];
    const asked = signalled();
    const gatewayWith = await open({
      ask: async (options, { arguments: args }) => {
        const { later } = args as { later?: boolean };
        options.signal?.addEventListener('abort', () => ended[later ? 1 : 0]?.tell());
        if (later) await asking('sampling/createMessage', words)(options);
        asked.tell();
        return new Promise(() => {});
      },
    });
    const client = await (await connector(gatewayWith))({ capabilities: ALL });
    const cancel = new AbortController();
    const early = client.once('tools/call', call('ask'), { signal: cancel.signal });
    await asked.told;
    cancel.abort();
    await expect(early).rejects.toThrow();
    await ended[0]?.told;

    const first = await client.once('tools/call', call('ask', { later: true }));
    const again = new AbortController();
    const inputResponses = { 'question-1': SAMPLED };
    const retry = { ...call('ask', { later: true }), ...stateOf(first), inputResponses };
    const late = client.once('tools/call', retry, { signal: again.signal });
    setImmediate(() => again.abort());
    await expect(late).rejects.toThrow();
    await ended[1]?.told;
  });

  test('a page that must be visited first is requested, and the request is repeated', async () => {
    let visited = false;
    const elicitations = [{ mode: 'url', url: 'https://example.com/', message: 'Go', elicitationId: 'e1' }];
    const gatewayWith = await open({
      needed: async () => {
        if (visited) return toText('done');
        throw Object.assign(new Error('Go first'), { code: -32_042, data: { elicitations } });
      },
    });
    const connect = await connector(gatewayWith);
    const asked: unknown[] = [];
    const elicitation = (params: unknown) => {
      asked.push(params);
      visited = true;
      return { action: 'accept' };
    };
    const willing = await connect({ answers: { elicitation } });
    expect(parse(await willing.request('tools/call', call('needed')))).toBe('done');
    expect(asked).toMatchObject([{ mode: 'url', url: 'https://example.com/', message: 'Go' }]);

    visited = false;
    const unwilling = await connect({ answers: { elicitation: () => ({ action: 'decline' }) } });
    await expect(unwilling.request('tools/call', call('needed'))).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining('the user declined'),
    });
    const unable = await connect({ capabilities: { elicitation: {} } });
    await expect(unable.request('tools/call', call('needed'))).rejects.toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });
});

test('server requests between two rounds come with the next one, unless they were cancelled', async () => {
  const withdraw = new AbortController();
  const [released, allAsked] = [signalled(), signalled()];
  const gatewayWith = await open({
    ask: async (options) => {
      const { handler } = options;
      const signal = new AbortController().signal;
      const first = asking('sampling/createMessage', words)(options);
      await released.told;
      const second = handler?.answer({ method: 'elicitation/create', params: form }, { server: 'old', signal });
      const third = handler
        ?.answer({ method: 'sampling/createMessage', params: words }, { server: 'old', signal: withdraw.signal })
        .catch(() => 'taken back');
      withdraw.abort();
      allAsked.tell();
      return toText(await Promise.all([first, second, third]));
    },
  });
  const client = await overStdio(gatewayWith.gateway)('modern', { capabilities: ALL });
  opened.push(client);
  const first = await client.once('tools/call', call('ask'));
  expect(Object.keys(first.inputRequests)).toEqual(['question-1']);
  released.tell();
  await allAsked.told;
  const inputResponses = { 'question-1': SAMPLED };
  const second = await client.once('tools/call', { ...call('ask'), ...stateOf(first), inputResponses });
  expect(Object.keys(second.inputRequests)).toEqual(['question-2']);
  const retry = { ...call('ask'), ...stateOf(second), inputResponses: { 'question-2': ACCEPTED } };
  expect(parse(await client.once('tools/call', retry))).toEqual([SAMPLED, ACCEPTED, 'taken back']);
});

test('a call whose server continued without the response returns its result when the client returns', async () => {
  const question = new AbortController();
  const finished = signalled();
  const gatewayWith = await open({
    ask: async ({ handler }) => {
      const { signal } = question;
      await handler
        ?.answer({ method: 'sampling/createMessage', params: words }, { server: 'old', signal })
        .catch(() => undefined);
      finished.tell();
      return toText('went on');
    },
  });
  const client = await overStdio(gatewayWith.gateway)('modern', { capabilities: ALL });
  opened.push(client);
  const first = await client.once('tools/call', call('ask'));
  question.abort();
  await finished.told;
  const retry = { ...call('ask'), ...stateOf(first), inputResponses: { 'question-1': SAMPLED } };
  expect(parse(await client.once('tools/call', retry))).toBe('went on');
});

/** Resolves when the call of a tool that sends requests is over at its server. */
function openEnding(options: Partial<GatewayOptions> = {}) {
  const ended = signalled();
  const opening = open(
    {
      ask: async (call) => {
        call.signal?.addEventListener('abort', ended.tell);
        return askForm(call);
      },
    },
    options,
  );
  return { opening, ended };
}

test('a call is cancelled if its client does not return in time', async () => {
  const { opening, ended } = openEnding({ inputTimeoutMs: 30 });
  const client = await overStdio((await opening).gateway)('modern', { capabilities: ALL });
  opened.push(client);
  const first = await client.once('tools/call', call('ask'));
  await ended.told;
  const retry = { ...call('ask'), ...stateOf(first), inputResponses: { 'question-1': ACCEPTED } };
  await expect(client.once('tools/call', retry)).rejects.toMatchObject(INVALID);
});

test('closing a connection cancels only its own waiting calls', async () => {
  const gatewayWith = await open({ ask: askForm });
  const connect = overStdio(gatewayWith.gateway);
  const [gone, stays] = [
    await connect('modern', { capabilities: ALL }),
    await connect('modern', { capabilities: ALL }),
  ];
  opened.push(stays);
  await gone.once('tools/call', call('ask'));
  const kept = await stays.once('tools/call', call('ask'));
  await gone[Symbol.asyncDispose]();
  const signals = gatewayWith.old.requests.map(({ options }) => options.signal?.aborted);
  expect(signals).toEqual([true, false]);
  const retry = { ...call('ask'), ...stateOf(kept), inputResponses: { 'question-1': ACCEPTED } };
  expect(parse(await stays.once('tools/call', retry))).toMatchObject(ACCEPTED);
});

test('closing the gateway cancels waiting calls', async () => {
  const { opening, ended } = openEnding();
  const { gateway } = await opening;
  const client = await (await overHttp(gateway, opened))('modern', { capabilities: ALL });
  opened.push(client);
  await client.once('tools/call', call('ask'));
  await gateway.close();
  await ended.told;
});

test('server requests beyond the limit of waiting calls are refused, per client and in total', async () => {
  const gatewayWith = await open({ ask: askForm }, { maxHeldCalls: 3, maxHeldCallsPerClient: 2 });
  const connect = overStdio(gatewayWith.gateway);
  const [ada, bob] = [await connect('modern', { capabilities: ALL }), await connect('modern', { capabilities: ALL })];
  opened.push(ada, bob);
  const first = await ada.once('tools/call', call('ask'));
  await ada.once('tools/call', call('ask'));
  expect(parse(await ada.once('tools/call', call('ask'))).refused.code).toBe(-32_093);
  await bob.once('tools/call', call('ask'));
  expect(parse(await bob.once('tools/call', call('ask'))).refused.code).toBe(-32_093);
  const retry = { ...call('ask'), ...stateOf(first), inputResponses: { 'question-1': ACCEPTED } };
  expect(parse(await ada.once('tools/call', retry))).toMatchObject(ACCEPTED);
  expect((await bob.once('tools/call', call('ask'))).resultType).toBe('input_required');
});

test.each([{ inputTimeoutMs: 0 }, { maxHeldCalls: 1.5 }, { maxHeldCallsPerClient: Number.NaN }])(
  'refuses %o',
  async (options) => {
    await expect(open({}, options)).rejects.toThrow(new RegExp(`^${Object.keys(options)[0]} must be a whole number`));
  },
);

test('HTTP requests belong to one client only if their caller is known', async () => {
  const clientsOf = async (isAnonymous: boolean, audiences: readonly { principal?: string }[]) => {
    const { gateway, old } = await open({ ask: async () => toText(1) });
    const connect = await overHttp(gateway, opened, { isAnonymous });
    for (const audience of audiences) {
      const client = await connect('modern', {}, { role: 'one', ...audience });
      opened.push(client);
      await client.request('tools/call', call('ask'));
    }
    return old.requests.map(({ options }) => options.handler?.client);
  };
  expect(await clientsOf(false, [{ principal: 'ada' }, { principal: 'ada' }])).toEqual(['ada', 'ada']);
  const [first, ...others] = await clientsOf(false, [{}, {}, { principal: 'ada' }]);
  expect(first).toBeDefined();
  expect(others).toEqual([first, 'ada']);
  const [one, another] = await clientsOf(true, [{}, {}]);
  expect(one).toBeDefined();
  expect(one).not.toBe(another);
});

function stateOf({ requestState }: { requestState: string }) {
  return { requestState };
}

function signalled() {
  let tell = () => {};
  const told = new Promise<void>((resolve) => (tell = resolve));
  return { told, tell };
}
