import { expect, test } from 'vitest';
import { fakeServer } from '../../../src/testing.js';
import { textOf } from '../../helpers/servers.js';
import { managerOfFake } from '../helpers/carriers.js';

test('a server that forgot its sessions gets a new one', async () => {
  const answers = [{ text: '1' }, 'forget-session', { text: '3' }] as const;
  await using fake = fakeServer({ era: 'legacy', tools: [{ name: 'a', answers }] });
  await using manager = await managerOfFake(fake, 'http');
  expect(textOf(await manager.callTool('fake', 'a'))).toBe('1');
  // The server has said that it did not take the call, so it may be sent again.
  expect(textOf(await manager.callTool('fake', 'a'))).toBe('3');
  expect(fake.calls('a')).toHaveLength(3);
  expect(fake.starts()).toHaveLength(1);
});

test('two clients of one server have sessions of their own, and the same steps', async () => {
  await using fake = fakeServer({ era: 'legacy', tools: [{ name: 'a', answers: [{ text: '1' }, { text: '2' }] }] });
  const { url } = await fake.http();
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
  const sessions = new Set<string | null>();
  for (const text of ['1', '2']) {
    const opened = await post(url, initialize);
    const session = opened.headers.get('mcp-session-id') ?? '';
    sessions.add(session);
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'a' } };
    const answer = await post(url, call, { 'mcp-session-id': session });
    expect(await answer.json()).toMatchObject({ id: 2, result: { content: [{ text }] } });
    const ended = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    expect(ended.status).toBe(200);
    expect((await post(url, call, { 'mcp-session-id': session })).status).toBe(404);
  }
  expect(sessions.size).toBe(2);
});

test.each([
  ['GET', 405],
  ['DELETE', 405],
  ['PUT', 405],
])('%s without a session is refused', async (method, status) => {
  await using fake = fakeServer();
  const { url } = await fake.http();
  expect((await fetch(url, { method })).status).toBe(status);
});

test('half a message breaks the connection, and no other', async () => {
  await using fake = fakeServer();
  const { url } = await fake.http();
  await expect(fetch(url, { method: 'POST', body: '{' })).rejects.toThrow();
  expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200);
});

function post(url: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify(message);
  return fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
}
