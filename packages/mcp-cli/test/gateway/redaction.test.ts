import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway, gatewayCapabilities } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { redactResults } from '@x/mcp-registry/interceptors';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at by matchers alone
type Loose = any;

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

const secret = 'hunter2-correct-horse';
/** What the conformance server says by itself. */
const said = ['Tool execution', 'paris'];

async function open(...names: readonly ('asks-host' | 'modern-input-required' | 'conformance')[]) {
  const servers = names.map((name) => ({ name, ...testServer(name) }));
  const manager = createClientManager({ servers }, { capabilities: gatewayCapabilities });
  const registry = createRegistry({ interceptors: [redactResults({ redact: [secret, ...said] })] });
  const gateway = createGateway({ registry, upstreams: manager });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  return gateway;
}

async function connect(gateway: Awaited<ReturnType<typeof open>>, era: 'modern' | 'legacy') {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const serving = gateway.serve({ transport: serverSide as never });
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const capabilities = { elicitation: { form: {} }, sampling: {} };
  const client: Loose = new Client({ name: 'test', version: '1.0.0' }, {
    capabilities,
    versionNegotiation: { mode },
  } as never);
  const seen: unknown[] = [];
  client.setRequestHandler('elicitation/create', ({ params }: Loose) => {
    seen.push(params);
    return { action: 'accept', content: {} };
  });
  client.setRequestHandler('sampling/createMessage', ({ params }: Loose) => {
    seen.push(params);
    return { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' };
  });
  client.fallbackNotificationHandler = async (notification: Loose) => void seen.push(notification);
  await client.connect(clientSide);
  opened.push(serving, { [Symbol.asyncDispose]: () => client.close() });
  return { client, seen };
}

describe.each(['modern', 'legacy'] as const)('a %s client sees no secret', (era) => {
  test('in questions of a server of 2025-11-25', async () => {
    const { client, seen } = await connect(await open('asks-host'), era);
    const form = { message: `Is it ${secret}?`, requestedSchema: { type: 'object', properties: {} } };
    const words = { messages: [{ role: 'user', content: { type: 'text', text: secret } }], maxTokens: 10 };
    for (const [method, params] of Object.entries({ 'elicitation/create': form, 'sampling/createMessage': words })) {
      await client.callTool({ name: 'mcp__asks-host__ask', arguments: { method, params } });
    }
    expect(seen).toMatchObject([
      { message: 'Is it ***?' },
      { messages: [{ role: 'user', content: { type: 'text', text: '***' } }] },
    ]);
  });

  test('in questions of a server of 2026-07-28, its log and its completions', async () => {
    const { client, seen } = await connect(await open('conformance'), era);
    const call = (name: string, args: object, more = {}) =>
      client.callTool({ name: `mcp__conformance__${name}`, arguments: args, ...more });
    await call('test_sampling', { prompt: `Is it ${secret}?` });
    expect(seen.splice(0)).toMatchObject([{ messages: [{ content: { text: 'Is it ***?' } }] }]);

    if (era === 'legacy') await client.setLoggingLevel('info');
    const logged = { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } };
    await call('test_tool_with_logging', {}, era === 'modern' ? logged : {});
    const entries = seen as { params: { data: unknown } }[];
    expect(entries.map(({ params }) => params.data)).toContain('*** completed');
    expect(JSON.stringify(seen)).not.toContain('Tool execution');

    const { prompts } = await client.listPrompts();
    const { name } = prompts.find((prompt: Loose) => prompt.name.endsWith('test_prompt_with_arguments'));
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name },
      argument: { name: 'arg1', value: 'par' },
    });
    expect(completion.values).toContain('***');
    expect(completion.values).not.toContain('paris');
  });
});
