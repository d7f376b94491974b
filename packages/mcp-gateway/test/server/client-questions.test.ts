import type { ToolCallResult } from '@x/internal/contracts';
import { createRegistry } from '@x/mcp-registry';
import { approveCalls } from '@x/mcp-registry/interceptors';
import { afterEach, describe, expect, test } from 'vitest';
import type { Gateway } from '../../src/gateway/gateway.js';
import { createRegistryHandler, type ServerRequestOptions, serveRegistry } from '../../src/index.js';
import { type AnsweringOptions, overHttp, overStdio } from '../gateway/helpers/answering-client.js';
import { type Ask, asking, createAskingUpstream, toText } from '../gateway/helpers/asking-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const who = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const ADA = { action: 'accept', content: { name: 'Ada' } };
const words = { messages: [], maxTokens: 10 };

async function open(
  way: 'stdio' | 'HTTP',
  era: 'legacy' | 'modern',
  options: ServerRequestOptions = { serverRequests: 'client' },
) {
  const named: Ask = async ({ inputRequired, ...given }, { inputResponses }) => {
    if (era === 'legacy' || inputRequired !== 'return') {
      return toText(given.handler === undefined ? 'app' : await asking('elicitation/create', who, 'db')(given));
    }
    if (inputResponses !== undefined) return toText((inputResponses as { who: object }).who);
    const inputRequests = { who: { method: 'elicitation/create', params: who } };
    return { resultType: 'input_required', inputRequests, requestState: 'opaque' };
  };
  const roots: Ask = async (given) => toText(await asking('roots/list', {}, 'db')(given));
  const sampled: Ask = async (given) => toText(await asking('sampling/createMessage', words, 'db')(given));
  const registry = createRegistry({
    interceptors: [approveCalls({ ask: 'elicitation', rules: { tools: ['drop'] } })],
  });
  const drop: Ask = async () => toText('dropped');
  await registry.attach(createAskingUpstream('db', era, { named, roots, sampled, drop })).ready;
  const serving = {
    serve: (given: object) => serveRegistry(registry, { ...given, ...options }),
    handler: (given: Parameters<typeof createRegistryHandler>[1]) =>
      createRegistryHandler(registry, { ...given, ...options }),
  } as unknown as Gateway;
  return way === 'stdio' ? overStdio(serving) : overHttp(serving, opened);
}

const textOf = ({ content }: ToolCallResult) => JSON.parse(String((content[0] as { text?: unknown }).text));
const call = (name: string) => ['tools/call', { name: `mcp__db__${name}`, arguments: {} }] as const;

const ways = (['v1', 'legacy', 'modern'] as const).flatMap((kind) =>
  (['stdio', 'HTTP'] as const).flatMap((way) =>
    (['legacy', 'modern'] as const).map((server) => ({ kind, way, server })),
  ),
);

describe.each(ways)('a $kind client of a registry over $way, calling a $server server', ({ kind, way, server }) => {
  const connect = async (options: AnsweringOptions, given?: ServerRequestOptions) => {
    const client = await (await open(way, server, given))(kind, options);
    opened.push(client);
    return client;
  };

  test('is asked for input and for approval', async () => {
    const asked: string[] = [];
    const elicitation = ({ message }: { message: string }) => {
      asked.push(message);
      return message === 'Who?' ? ADA : { action: 'accept', content: { decision: 'approve' } };
    };
    const client = await connect({ answers: { elicitation } });
    expect(textOf(await client.request(...call('named')))).toEqual(ADA);
    expect(textOf(await client.request(...call('drop')))).toBe('dropped');
    expect(asked).toEqual(['Who?', expect.stringContaining('Tool: "drop"')]);
  });

  test('is not asked for what it does not declare, nor for roots', async () => {
    const roots = () => ({ roots: [{ uri: 'file:///work' }] });
    const client = await connect({ answers: { elicitation: () => ADA, roots } });
    expect(textOf(await client.request(...call('sampled'))).refused.code).toBe(-32_601);
    expect(textOf(await client.request(...call('roots'))).refused.code).toBe(-32_601);
  });

  test('is not asked by default', async () => {
    const asked: unknown[] = [];
    const client = await connect({ answers: { elicitation: (params) => asked.push(params) } }, {});
    expect(textOf(await client.request(...call('named')))).toBe('app');
    expect(await client.request(...call('drop'))).toMatchObject({ isError: true });
    expect(asked).toEqual([]);
  });
});

test('a drain waits for a client of 2026-07-28 that was asked, and serves the request that continues its call', async () => {
  const connect = await open('HTTP', 'legacy');
  const handler = opened[0] as ReturnType<typeof createRegistryHandler>;
  const client = await connect('modern', { capabilities: { elicitation: {} } });
  opened.push(client);
  const [method, params] = call('named');
  const { requestState, inputRequests } = await client.once(method, params);
  const drained = handler.drain();
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ADA]));
  await expect(client.once(method, { ...params, inputResponses })).rejects.toThrow('shutting down');
  expect(textOf(await client.once(method, { ...params, inputResponses, requestState }))).toEqual(ADA);
  expect(await drained).toBe(true);
});

test('serverRequests must be one of two words', () => {
  expect(() => serveRegistry(createRegistry(), { serverRequests: 'host' as 'app' })).toThrow(
    'serverRequests must be one of "app", "client"',
  );
});
