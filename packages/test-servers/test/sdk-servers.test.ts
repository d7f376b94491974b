import { expectNoLeaks, startHttpEcho } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

/** What every request of revision 2026-07-28 carries. */
const envelope = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

test('modern-only refuses initialize and then takes server/discover on the same process', async () => {
  await using server = new RawServer('modern-only');
  expect((await server.initialize()).error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } });
  expect((await server.request('server/discover', envelope)).result).toMatchObject({
    supportedVersions: ['2026-07-28'],
  });
  const call = await server.request('tools/call', { name: 'echo', arguments: { text: 'hi' }, ...envelope });
  expect(call.result).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
});

test('modern-only leaves at the end of stdin', async () => {
  await using server = new RawServer('modern-only');
  server.child.stdin.end();
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

test('http-echo serves clients of the 2025 revisions', async () => {
  await using server = await startHttpEcho();
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const body = await post(server.url, { method: 'initialize', params });
  expect(body).toContain('"protocolVersion":"2025-06-18"');
});

test('http-echo serves clients of revision 2026-07-28 and returns their headers', async () => {
  await using server = await startHttpEcho();
  const params = { name: 'header', arguments: { name: 'x-test' }, ...envelope };
  const body = await post(
    server.url,
    { method: 'tools/call', params },
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'header',
      'x-test': 'seen',
    },
  );
  expect(body).toContain('"text":"seen"');
});

test('http-echo is gone after close', async () => {
  const server = await startHttpEcho();
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow();
});

async function post(url: string, request: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
  });
  return response.text();
}
