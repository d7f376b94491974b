import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test('wait answers after the time it was given', async () => {
  await using server = new RawServer('slow');
  expect(await server.text('wait', { ms: 5 })).toBe('waited 5 ms');
});

test('a cancelled wait is not answered, and is remembered', async () => {
  await using server = new RawServer('slow');
  const params = { name: 'wait', arguments: { ms: 600_000 } };
  server.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params });
  server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
  expect(JSON.parse(await server.text('cancelled'))).toEqual(['long']);
  expect(server.lines.map((line) => JSON.parse(line).id)).toEqual([1]);
});

test('a wait in steps reports each of them to a client that asked', async () => {
  await using server = new RawServer('slow');
  const params = { name: 'wait', arguments: { ms: 4, steps: 2 }, _meta: { progressToken: 'p' } };
  await server.request('tools/call', params);
  expect(server.lines.slice(0, 2).map((line) => JSON.parse(line).params)).toEqual([
    { progressToken: 'p', progress: 1, total: 2 },
    { progressToken: 'p', progress: 2, total: 2 },
  ]);
});

test('busy holds up every other request', async () => {
  await using server = new RawServer('slow');
  server.child.stdin.cork(); // both requests in one chunk, so that the wait has begun before the server is busy
  const answers = [server.call('wait', { ms: 1 }), server.call('busy', { ms: 20 })];
  server.child.stdin.uncork();
  await Promise.all(answers);
  expect(server.lines.map((line) => JSON.parse(line).id)).toEqual([2, 1]);
});

test('a delayed handshake lets a later request overtake it', async () => {
  await using server = new RawServer('slow', '--handshake-ms', '50');
  await Promise.all([server.initialize(), server.request('ping')]);
  expect(server.lines.map((line) => JSON.parse(line).id)).toEqual([2, 1]);
});
