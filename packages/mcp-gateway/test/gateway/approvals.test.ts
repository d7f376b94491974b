import { createRegistry } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import { type ApprovalOptions, approveCalls, createApprovalQueue } from '@x/mcp-registry/interceptors';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../src/index.js';
import { type AnsweringOptions, type ClientKind, overHttp, overStdio } from './helpers/answering-client.js';
import { type Ask, asking, attachAll, createAskingUpstream, toText } from './helpers/asking-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const who = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const asks: Readonly<Record<string, Ask>> = {
  drop: async (_, { arguments: args }) => toText(args),
  /** Asks for a name first, in the way of its revision. */
  named: async (options, params) => {
    if (options.inputRequired !== 'return' || era === 'legacy') {
      return toText(await asking('elicitation/create', who, 'db')(options));
    }
    const { inputResponses } = params;
    if (inputResponses !== undefined) return toText(inputResponses);
    return {
      resultType: 'input_required',
      inputRequests: { who: { method: 'elicitation/create', params: who } },
      requestState: 'opaque',
    };
  },
};
let era: 'legacy' | 'modern' | undefined;

const APPROVED = { action: 'accept', content: { decision: 'approve' } };
const ways = (['v1', 'legacy', 'modern'] as const).flatMap((kind) =>
  (['stdio', 'HTTP'] as const).flatMap((way) =>
    (['legacy', 'modern'] as const).map((server) => ({ kind, way, server })),
  ),
);

async function open(
  server: typeof era,
  ask: ApprovalOptions['ask'] = 'elicitation',
  options: Partial<GatewayOptions> = {},
) {
  era = server;
  const events: AuditEvent[] = [];
  const registry = createRegistry({
    interceptors: [approveCalls({ ask })],
    roles: [{ role: 'dev', allowedTools: ['db'] }],
    audit: (event) => void events.push(event),
  });
  const db = createAskingUpstream('db', server, asks);
  const upstreams = await attachAll(registry, [db]);
  const gateway = createGateway({ registry, upstreams, ...options });
  opened.push(registry, gateway);
  return { gateway, db, events };
}

describe.each(ways)('a $kind client over $way of a $server server', ({ kind, way, server }) => {
  const connector = async (gateway: Awaited<ReturnType<typeof open>>['gateway']) => {
    const connect = way === 'stdio' ? overStdio(gateway) : await overHttp(gateway, opened);
    return async (options: AnsweringOptions, principal = 'eve') => {
      const client = await connect(kind as ClientKind, options, { role: 'dev', principal });
      opened.push(client);
      return client;
    };
  };

  test('is asked for exactly this call, and audit says who approved', async () => {
    const { gateway, db, events } = await open(server);
    const asked: string[] = [];
    const elicitation = ({ message }: { message: string }) => {
      asked.push(message);
      return APPROVED;
    };
    const client = await (await connector(gateway))({ answers: { elicitation } });
    const result = await client.request('tools/call', { name: 'mcp__db__drop', arguments: { table: 'users' } });
    expect(JSON.parse(result.content[0].text)).toEqual({ table: 'users' });
    expect(asked).toEqual([expect.stringContaining('Server: "db"\nTool: "drop"\nCaller: role "dev", principal "eve"')]);
    expect(asked[0]).toContain('"table": "users"');
    expect(db.requests).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      principal: 'eve',
      interceptors: [
        { interceptor: 'approve-calls', note: expect.stringContaining("approved by the client's user: sha256:") },
      ],
    });
  });

  test.each([
    ['declines', { action: 'decline' }, 'was denied'],
    ['denies', { action: 'accept', content: { decision: 'deny' } }, 'was denied'],
  ])('whose user %s has an error that the model can read', async (_, answer, message) => {
    const { gateway, db } = await open(server);
    const client = await (await connector(gateway))({ answers: { elicitation: () => answer } });
    const result = await client.request('tools/call', { name: 'mcp__db__drop', arguments: {} });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(message) }] });
    expect(db.requests).toEqual([]);
  });

  test('that cannot ask gets an error with what would work', async () => {
    const { gateway, db } = await open(server);
    const client = await (await connector(gateway))({ capabilities: {} });
    const result = await client.request('tools/call', { name: 'mcp__db__drop', arguments: {} });
    expect(result.content[0].text).toContain('there is no way to ask for it; use a client that supports elicitation');
    expect(db.requests).toEqual([]);
  });

  test('that cannot ask gets no approval from the fallback, which answers what servers ask', async () => {
    const questions: unknown[] = [];
    const elicitationFallback = {
      isAvailable: true,
      answer: async ({ params }: { readonly params: unknown }) => {
        questions.push(params);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    };
    const queue = createApprovalQueue();
    const { gateway, db } = await open(server, ['elicitation', queue.ask], { elicitationFallback });
    queue.events.on('approval-requested', ({ id, tool }) =>
      tool === 'named' ? queue.approve(id, { by: 'test' }) : queue.deny(id, { by: 'test' }),
    );
    const client = await (await connector(gateway))({ capabilities: {} });
    const denied = await client.request('tools/call', { name: 'mcp__db__drop', arguments: {} });
    expect(denied.content[0].text).toContain('was denied');
    expect([db.requests, questions]).toEqual([[], []]);
    if (kind === 'modern' && server === 'modern') return; // its server asks in a result, which the client alone can answer
    const named = await client.request('tools/call', { name: 'mcp__db__named', arguments: {} });
    expect(named.content[0].text).toContain('Ada');
    expect(questions).toEqual([who]);
  });

  test('is asked once for a call whose server asks for input, too', async () => {
    const { gateway } = await open(server);
    const asked: string[] = [];
    const elicitation = ({ message }: { message: string }) => {
      asked.push(message.split('\n')[0] ?? '');
      return message === 'Who?' ? { action: 'accept', content: { name: 'Ada' } } : APPROVED;
    };
    const client = await (await connector(gateway))({ answers: { elicitation } });
    const result = await client.request('tools/call', { name: 'mcp__db__named', arguments: {} });
    expect(result.content[0].text).toContain('Ada');
    expect(asked).toEqual(['Allow this tool call, once?', 'Who?']);
  });

  test('that ends its request withdraws the question', async () => {
    const queue = createApprovalQueue();
    const { gateway, db } = await open(server, queue.ask);
    const client = await (await connector(gateway))({ capabilities: {} });
    const controller = new AbortController();
    const requested = new Promise<string>((resolve) => queue.events.on('approval-requested', ({ id }) => resolve(id)));
    const settled = new Promise((resolve) => queue.events.on('approval-settled', resolve));
    const call = client.request('tools/call', { name: 'mcp__db__drop', arguments: {} }, { signal: controller.signal });
    const id = await requested;
    controller.abort();
    await expect(call).rejects.toThrow();
    expect(await settled).toMatchObject({ outcome: 'withdrawn' });
    expect(queue.approve(id, { by: 'ada' })).toBe(false);
    expect(db.requests).toEqual([]);
  });
});

describe.each(['stdio', 'HTTP'] as const)('an answer of a later request over %s', (way) => {
  test.each(['legacy', 'modern'] as const)('approves nothing else of a %s server', async (server) => {
    const { gateway, db } = await open(server);
    const connect = way === 'stdio' ? overStdio(gateway) : await overHttp(gateway, opened);
    const capabilities = { elicitation: { form: {} } };
    const client = await connect('modern', { capabilities }, { role: 'dev', principal: 'eve' });
    opened.push(client);
    const call = { name: 'mcp__db__drop', arguments: { table: 'test' } };
    const first = await client.once('tools/call', call);
    expect(first).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const [key = ''] = Object.keys(first.inputRequests);
    const retry = { requestState: first.requestState, inputResponses: { [key]: APPROVED } };

    const other = { ...call, arguments: { table: 'users' } };
    for (const smuggled of [
      { ...other, ...retry },
      { ...call, name: 'mcp__db__named', ...retry },
      { ...call, inputResponses: retry.inputResponses },
      { ...call, ...retry, requestState: 'opaque' },
    ]) {
      expect(await client.once('tools/call', smuggled).catch(() => refused)).toSatisfy(isRefusedOrAskedAgain);
    }
    expect(db.requests).toEqual([]);

    const done = await client.once('tools/call', { ...call, ...retry });
    expect(JSON.parse(done.content[0].text)).toEqual({ table: 'test' });
    expect(await client.once('tools/call', { ...call, ...retry }).catch(() => refused)).toMatchObject(refused);
    expect(db.requests).toHaveLength(1);
  });
});

test.each(['v1', 'modern'] as const)(
  'a call through call_mcp_tool of a %s client is asked about, too',
  async (kind) => {
    const { gateway, db } = await open('modern', 'elicitation', { surface: 'search' });
    const asked: string[] = [];
    const elicitation = ({ message }: { message: string }) => {
      asked.push(message);
      return APPROVED;
    };
    const client = await overStdio(gateway)(kind, { answers: { elicitation } }, { role: 'dev', principal: 'eve' });
    opened.push(client);
    await client.request('tools/call', { name: 'search_mcp_tools', arguments: { query: 'drop' } });
    const args = { name: 'mcp__db__drop', arguments: { table: 'users' } };
    const result = await client.request('tools/call', { name: 'call_mcp_tool', arguments: args });
    expect(result.isError).not.toBe(true);
    expect(asked).toEqual([expect.stringContaining('Tool: "drop"')]);
    expect(db.requests).toHaveLength(1);
  },
);

const refused = { isError: true };

/** A server before revision 2026-07-28 gets no responses, so a request with nothing else is a new one. */
function isRefusedOrAskedAgain({ isError, resultType }: { isError?: boolean; resultType?: string }): boolean {
  return isError === true || resultType === 'input_required';
}
