import { StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createRegistry } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { createRegistryHandler, toNodeListener } from '../../src/index.js';
import { registerNativeTools } from '../helpers/native-tools.js';
import { serveOnLoopback } from '../helpers/serve-on-loopback.js';
import { connectV1, connectV2 } from '../helpers/test-client.js';

test('clients of both eras at one address list the same two tools, and reach the others through them', async () => {
  const registry = createRegistry();
  registerNativeTools(registry);
  await using handler = createRegistryHandler(registry, { allowAnonymous: true, surface: 'search' });
  await using server = await serveOnLoopback(toNodeListener(handler));
  await using modern = await connectV2('modern', new HttpV2(server.url));
  await using legacy = await connectV2('legacy', new HttpV2(server.url));
  await using old = await connectV1(new HttpV1(server.url));

  const [listed, ...others] = await Promise.all([modern, legacy, old].map((client) => client.listAll()));
  expect(listed?.map(({ name }) => name)).toEqual(['call_mcp_tool', 'search_mcp_tools']);
  for (const other of others) expect(other).toEqual(listed);
  for (const client of [modern, legacy, old]) {
    const found = await client.call({ name: 'search_mcp_tools', arguments: { query: 'gives back' } });
    expect(found.structuredContent).toMatchObject({ tools: expect.arrayContaining([{ name: 'echo' }].map(matching)) });
    expect(found.content).toEqual([{ type: 'text', text: expect.stringMatching(/^echo\(text: string\): Gives back/) }]);
    const wrong = await client.call({ name: 'call_mcp_tool', arguments: { name: 'echo', arguments: { txt: 'a' } } });
    expect(wrong).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid-arguments' } } });
    expect(wrong.content).toEqual([
      { type: 'text', text: expect.stringMatching(/was "txt" meant.*\n.*It takes \(text: string\)$/s) },
    ]);
    const call = { name: 'echo', arguments: { text: 'hello' } };
    expect((await client.call({ name: 'call_mcp_tool', arguments: call })).structuredContent).toEqual({
      text: 'hello',
    });
  }
});

const matching = (part: object) => expect.objectContaining(part);
