import type { ServerResponse } from 'node:http';
import { expectNoLeaks, serveOnLoopback } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { failureOf, fixtureSpec, managerOf, textOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

const act = { name: 'act', inputSchema: { type: 'object' } };

test.each(['plain', 'mark'])(
  'two answers and progress in one array reach their calls over stdio (%s)',
  async (mark) => {
    await using manager = managerOf(fixtureSpec('batches.mjs', ['2025-03-26', mark]));
    const progress: number[] = [];
    const onProgress = (told: { progress: number }): void => void progress.push(told.progress);
    const calls = [
      manager.callTool('fixture', 'pair', { n: 1 }),
      manager.callTool('fixture', 'pair', { n: 2 }, { onProgress }),
    ];
    expect((await Promise.all(calls)).map(textOf)).toEqual(['1', '2']);
    expect(progress).toEqual([1]);
  },
);

test('responds to each request of a batch', async () => {
  await using manager = managerOf(fixtureSpec('batches.mjs'));
  const replies = JSON.parse(textOf(await manager.callTool('fixture', 'ask')));
  expect(replies.sort()).toEqual([
    ['s1', true, null],
    ['s2', false, -32_601],
  ]);
});

test('ignores a batch of more than 1000 messages, and the connection stays open', async () => {
  await using manager = managerOf(fixtureSpec('batches.mjs'));
  const server = manager.server('fixture');
  expect(textOf(await server.callTool('many', { count: 999 }))).toBe('many');
  const junk = new Promise((resolve) => manager.events.on('server-junk', resolve));
  const end = new AbortController();
  const call = failureOf(server.callTool('many', { count: 1_000 }, { signal: end.signal }));
  await junk;
  end.abort(new Error('seen'));
  expect(await call).toMatchObject({ message: 'seen' });
  expect(textOf(await server.callTool('many', { count: 1 }))).toBe('many');
});

test.each(['2024-11-05', '2025-06-18', '2025-11-25'])('ignores a batch in revision %s', async (revision) => {
  await using manager = managerOf(fixtureSpec('batches.mjs', [revision]));
  const server = manager.server('fixture');
  const junk = new Promise((resolve) => manager.events.on('server-junk', ({ text }) => resolve(text)));
  const end = new AbortController();
  const call = failureOf(server.callTool('many', { count: 1 }, { signal: end.signal }));
  expect(await junk).toMatch(/^\[\{"jsonrpc"/);
  end.abort(new Error('seen'));
  expect(await call).toMatchObject({ message: 'seen' });
});

type Answer = (response: ServerResponse, messages: readonly object[]) => void;

const json = { 'content-type': 'application/json' };
const stream = { 'content-type': 'text/event-stream' };

/** How a server of revision 2025-03-26 may write several messages over HTTP. */
const answers: Readonly<Record<string, Answer>> = {
  'one JSON body': (response, messages) => void response.writeHead(200, json).end(JSON.stringify(messages)),
  'one JSON body with a byte order mark': (response, messages) =>
    void response.writeHead(200, json).end(`\ufeff${JSON.stringify(messages)}`),
  'one event': (response, messages) =>
    void response.writeHead(200, stream).end(`id: 1\ndata: ${JSON.stringify(messages)}\n\n`),
  'one event of several lines, after a byte order mark': (response, messages) =>
    void response
      .writeHead(200, stream)
      .end(`\ufeffevent: message\r\n${JSON.stringify(messages, undefined, 1).replace(/^/gm, 'data: ')}\r\n\r\n`),
};

test.each(Object.keys(answers))('reads a response and a notification in a batch over HTTP: %s', async (way) => {
  const { origin, close } = await serveOnLoopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    if (id === undefined) return void response.writeHead(202).end();
    const answer = (result: object) => ({ jsonrpc: '2.0', id, result });
    if (method === 'tools/call') {
      const { progressToken } = params._meta;
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
      return answers[way]?.(response, [progress, answer({ content: [{ type: 'text', text: 'done' }] })]);
    }
    const serverInfo = { name: 'batches', version: '1' };
    const initialized = { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo };
    // One message with a mark in front, as some servers write each of theirs.
    const result = method === 'initialize' ? initialized : { tools: [act] };
    response.writeHead(200, json).end(`\ufeff${JSON.stringify(answer(result))}`);
  });
  await using manager = managerOf({ name: 'web', url: `${origin}/mcp`, protocol: 'legacy' });
  const progress: number[] = [];
  const onProgress = (told: { progress: number }): void => void progress.push(told.progress);
  expect(textOf(await manager.callTool('web', 'act', {}, { onProgress, timeoutMs: 5_000 }))).toBe('done');
  expect(progress).toEqual([1]);
  await manager.close();
  await close();
});
