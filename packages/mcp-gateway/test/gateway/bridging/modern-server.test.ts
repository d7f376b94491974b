import { createRegistry } from '@x/mcp-registry';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import { overHttp, overStdio } from '../helpers/answering-client.js';
import { type Ask, attachAll, createAskingUpstream, toText } from '../helpers/asking-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const who = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} }, 'x/a': 1 },
};
const STATE = '"opaque ✓ state"\n';
const CAPABILITIES = { elicitation: { form: {} }, extensions: { 'com.example/x': { a: 1 } } };

/** Asks once, and returns the response. */
const asks: Readonly<Record<string, Ask>> = {
  ask: async (_, params) => {
    const { inputResponses, requestState } = params;
    if (inputResponses === undefined) {
      return { resultType: 'input_required', inputRequests: { who }, requestState: STATE, _meta: { 'x/m': 1 } };
    }
    const text = JSON.stringify({ inputResponses, requestState });
    if ('uri' in params) return { contents: [{ uri: params.uri, text }] };
    if ('name' in params) return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    return { content: [{ type: 'text', text }] };
  },
  later: async (_, { requestState }) =>
    requestState === undefined ? { resultType: 'input_required', requestState: '1' } : toText(requestState),
  large: async () => ({ resultType: 'input_required', requestState: 'x'.repeat(300_000) }),
  forbidden: async () => ({ resultType: 'input_required', inputRequests: { r: { method: 'roots/list' } } }),
};

async function open(era: 'modern' | 'unknown' = 'modern', options: Partial<GatewayOptions> = {}) {
  const registry = createRegistry();
  const server = createAskingUpstream('new', era === 'unknown' ? undefined : era, asks);
  const gateway = createGateway({ registry, upstreams: await attachAll(registry, [server]), ...options });
  opened.push(registry, gateway);
  return { gateway, server };
}

const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } };

describe.each(['stdio', 'HTTP'] as const)('over %s', (way) => {
  const connect = async (gateway: Awaited<ReturnType<typeof open>>['gateway'], capabilities = CAPABILITIES) => {
    const connector = way === 'stdio' ? overStdio(gateway) : await overHttp(gateway, opened);
    const client = await connector('modern', { capabilities });
    opened.push(client);
    return client;
  };

  test.each([
    { method: 'tools/call', params: { name: 'mcp__new__ask', arguments: { a: 1 } } },
    { method: 'prompts/get', params: { name: 'mcp__new__ask' } },
    { method: 'resources/read', params: { uri: 'mcp+new:ask:ask' } },
  ])('input requests, state and responses of $method pass unchanged', async ({ method, params }) => {
    const { gateway, server } = await open();
    const client = await connect(gateway);
    const first = await client.once(method, params);
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { who }, _meta: { 'x/m': 1 } });
    expect(first.requestState).toBe(STATE);
    const result = await client.once(method, { ...params, inputResponses, requestState: first.requestState });
    const text = result.content?.[0].text ?? result.messages?.[0].content.text ?? result.contents[0].text;
    expect(JSON.parse(text)).toEqual({ inputResponses, requestState: STATE });
    expect(server.requests).toHaveLength(2);
    for (const { options } of server.requests) {
      expect(options.inputRequired).toBe('return');
      expect(options.handler?.capabilities).toEqual(CAPABILITIES);
    }
  });

  test('a client that answers input requests itself gets the result', async () => {
    const { gateway } = await open();
    const connector = way === 'stdio' ? overStdio(gateway) : await overHttp(gateway, opened);
    const client = await connector('modern', { answers: { elicitation: () => inputResponses.who } });
    opened.push(client);
    const { content } = await client.request('tools/call', { name: 'mcp__new__ask', arguments: {} });
    expect(JSON.parse(content[0].text)).toEqual({ inputResponses, requestState: STATE });
    const later = await client.request('tools/call', { name: 'mcp__new__later', arguments: {} });
    expect(later.content[0].text).toBe('"1"');
  });

  test('call_mcp_tool passes them, too, up to a size', async () => {
    const { gateway, server } = await open('modern', { surface: 'search' });
    const client = await connect(gateway);
    const call = { name: 'call_mcp_tool', arguments: { name: 'mcp__new__ask', arguments: { a: 1 } } };
    const { inputRequests, requestState } = await client.once('tools/call', call);
    expect([inputRequests, requestState]).toEqual([{ who }, STATE]);
    const { content } = await client.once('tools/call', { ...call, inputResponses, requestState });
    expect(JSON.parse(content[0].text)).toEqual({ inputResponses, requestState: STATE });
    expect(server.requests[1]?.params).toMatchObject({ arguments: { a: 1 } });

    const longState = { ...call, inputResponses, requestState: 'x'.repeat(300_000) };
    await expect(client.once('tools/call', longState)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('requestState'),
    });
    expect(server.requests).toHaveLength(2);
  });

  test('a requestState that is too large to return is an error', async () => {
    const { gateway } = await open();
    const client = await connect(gateway);
    await expect(client.once('tools/call', { name: 'mcp__new__large', arguments: {} })).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining('requestState'),
    });
  });

  test('an input request for an undeclared capability is an error', async () => {
    const { gateway } = await open();
    const client = await connect(gateway);
    await expect(client.once('tools/call', { name: 'mcp__new__forbidden', arguments: {} })).rejects.toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { roots: {} } },
    });
  });
});

test('input responses of more than 4 million characters are refused', async () => {
  const { gateway, server } = await open();
  const client = await overStdio(gateway)('modern', { capabilities: CAPABILITIES });
  opened.push(client);
  const large = { who: { action: 'accept', content: { name: 'x'.repeat(4 * 1024 * 1024) } } };
  const call = { name: 'mcp__new__ask', arguments: {}, inputResponses: large };
  await expect(client.once('tools/call', call)).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining('inputResponses'),
  });
  expect(server.requests).toEqual([]);
});

test('a requestState of another gateway behind this one is passed on', async () => {
  const { gateway, server } = await open();
  const client = await overStdio(gateway)('modern', { capabilities: CAPABILITIES });
  opened.push(client);
  const requestState = `mcp-gateway-call:${'0'.repeat(64)}`;
  const { content } = await client.once('tools/call', { name: 'mcp__new__later', arguments: {}, requestState });
  expect(JSON.parse(content[0].text)).toBe(requestState);
  expect(server.requests).toHaveLength(1);
});

test('a server that is not connected yet may be of either revision, and a call that waits elsewhere is not started again', async () => {
  const { gateway, server } = await open('unknown');
  const client = await overStdio(gateway)('modern', { capabilities: CAPABILITIES });
  opened.push(client);
  const call = { name: 'mcp__new__ask', arguments: {} };
  const { requestState } = await client.once('tools/call', call);
  expect(requestState).toBe(STATE);
  const { content } = await client.once('tools/call', { ...call, inputResponses, requestState });
  expect(JSON.parse(content[0].text)).toEqual({ inputResponses, requestState: STATE });
  const held = { ...call, inputResponses, requestState: `mcp-gateway-call:${'0'.repeat(64)}` };
  await expect(client.once('tools/call', held)).rejects.toMatchObject({ code: -32_602 });
  expect(server.requests).toHaveLength(2);
});
