import { PassThrough } from 'node:stream';
import { createRegistry } from '@x/mcp-registry';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { attachAll, createAskingUpstream } from '../helpers/asking-upstream.js';
import { gatewayWays } from '../helpers/gateway-client.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

async function open() {
  const upstream = createAskingUpstream('old', 'legacy', {
    deep: async (_, params) => {
      const { uri } = params as { uri?: string };
      const deep = nested(20_000);
      if (uri !== undefined) return { contents: [{ uri, text: '', _meta: deep }] };
      return { content: [{ type: 'text', text: '' }], structuredContent: deep };
    },
    fine: async () => ({ content: [{ type: 'text', text: 'Fine' }], structuredContent: nested(500) }),
  });
  const registry = createRegistry();
  const gateway = createGateway({ registry, upstreams: await attachAll(registry, [upstream]) });
  opened.push(registry, gateway);
  return gateway;
}

test.each(gatewayWays)('over $name, a result that cannot be written as JSON is an error', async ({ connect }) => {
  const client = await connect(await open());
  opened.push(client);
  const call = (name: string) => client.request('tools/call', { name: `mcp__old__${name}`, arguments: {} });
  await expect(call('deep')).rejects.toMatchObject({ code: -32_603 });
  await expect(client.request('resources/read', { uri: 'mcp+old:ask:deep' })).rejects.toMatchObject({ code: -32_603 });
  expect((await call('fine')).structuredContent).toEqual(nested(500));
});

test('over stdio, a result that cannot be written as JSON is an error', async () => {
  const gateway = await open();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  opened.push(gateway.serve({ stdin, stdout }));
  const lines = stdout.setEncoding('utf8')[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object) => {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return JSON.parse((await lines.next()).value);
  };
  const clientInfo = { name: 'raw', version: '1.0.0' };
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const answer = await ask(2, 'tools/call', { name: 'mcp__old__deep', arguments: {} });
  expect(answer).toMatchObject({ id: 2, error: { code: -32_603 } });
});
