import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  expectNoLeaks,
  type HttpRefusal,
  httpRefusals,
  serveOnLoopback,
  startHttpRefusing,
  stdioRefusals,
} from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { startModernHttp } from '../helpers/modern-http.js';
import { answerJson } from '../helpers/scripted-http.js';
import { failureOf, managerOf, managerWith, serverSpec, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const refusalsOverHttp = Object.keys(httpRefusals) as HttpRefusal[];

test.each(refusalsOverHttp)('connects to an HTTP server that refuses an unknown method by: %s', async (refusal) => {
  await using server = await startHttpRefusing(refusal);
  await using manager = managerOf({ name: 'web', url: server.url });
  expect(textOf(await manager.callTool('web', 'echo', { text: 'hi' }))).toBe('hi');
  expect(manager.server('web').session).toMatchObject({ era: 'legacy', protocolVersion: '2025-06-18' });
  expect(server.log.slice(0, 2)).toEqual(['server/discover', 'initialize']);
});

test.each(stdioRefusals)('connects to a stdio server that refuses an unknown method by: %s', async (refusal) => {
  await using manager = managerOf(serverSpec('refuses-unknown', ['--refusal', refusal]));
  expect(textOf(await manager.callTool('refuses-unknown', 'echo', { text: 'hi' }))).toBe('hi');
});

test('sends initialize first to a restarted HTTP server with a legacy revision', async () => {
  await using server = await startHttpRefusing('silence');
  await using manager = managerOf({ name: 'web', url: server.url });
  await manager.server('web').start();
  const before = server.log.length;
  await manager.server('web').restart();
  expect(server.log.slice(before)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
});

test('the next manager with the same state directory remembers the era of an HTTP server', async () => {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'mcp-era-'));
  await using server = await startHttpRefusing('silence');
  for (let round = 0; round < 2; round++) {
    await using manager = managerWith({ stateDirectory }, { name: 'web', url: server.url });
    await manager.server('web').start();
  }
  await rm(stateDirectory, { recursive: true });
  expect(server.log.filter((method) => method === 'server/discover')).toHaveLength(1);
});

test('connects to a modern server that was remembered as legacy', async () => {
  let isModern = false;
  await using modern = await startModernHttp();
  const { origin, close } = await serveOnLoopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (isModern) {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const { id, method } = JSON.parse(body.toString());
      if (method === 'initialize') {
        return void response
          .writeHead(200, headers)
          .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }));
      }
      const answer = await fetch(modern.url, { method: 'POST', headers, body });
      return void response.writeHead(answer.status, headers).end(await answer.text());
    }
    const { id, method } = JSON.parse(body.toString());
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'server/discover') return void response.writeHead(500).end();
    const serverInfo = { name: 'old', version: '1' };
    const initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    answerJson(response, id, method === 'initialize' ? initialized : { tools: [] });
  });
  await using manager = managerOf({ name: 'web', url: `${origin}/mcp` });
  await manager.server('web').start();
  expect(manager.server('web').session?.era).toBe('legacy');
  isModern = true;
  await manager.server('web').restart();
  expect(manager.server('web').session?.era).toBe('modern');
  expect(textOf(await manager.callTool('web', 'act'))).toBe('done');
  await manager.close();
  await close();
});

test.each([
  [200, -32_022],
  [400, -32_022],
  [200, -32_602],
  [400, -32_602],
])(
  'a server of the later revisions that wakes up slowly is asked again when it refuses initialize (HTTP %i, %i)',
  async (status, code) => {
    let questions = 0;
    await using server = await startModernHttp({
      onMessage: (method, _request, response, id) => {
        if (method === 'server/discover') questions += 1;
        if (method === 'server/discover' && questions === 1) return true; // it is not answered
        if (method !== 'initialize') return false;
        const error = { code, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } };
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        return true;
      },
    });
    await using manager = managerOf({ name: 'web', url: server.url });
    await manager.server('web').start();
    expect(manager.server('web').session?.era).toBe('modern');
    expect(questions).toBe(2);
  },
);

test('ignores a discover result after initialize', async () => {
  await using server = await startHttpRefusing('silence');
  await using manager = managerOf({ name: 'web', url: server.url });
  await manager.server('web').start();
  server.answerLate();
  expect(textOf(await manager.callTool('web', 'echo', { text: 'hi' }))).toBe('hi');
  expect(manager.server('web').session?.era).toBe('legacy');
});

test('tries an address without a listener once', async () => {
  const { origin, close } = await serveOnLoopback((_, response) => void response.end());
  await close();
  await using manager = managerOf({ name: 'web', url: `${origin}/mcp` });
  const error = (await failureOf(manager.server('web').start())) as Error;
  expect(error.message).toContain('the request failed (ECONNREFUSED)');
});

test('sends no initialize after HTTP 401 to server/discover', async () => {
  const methods: string[] = [];
  const { origin, close } = await serveOnLoopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    methods.push(JSON.parse(Buffer.concat(chunks).toString()).method);
    response.writeHead(401).end();
  });
  await using manager = managerOf({ name: 'web', url: `${origin}/mcp` });
  expect(await failureOf(manager.server('web').start())).toMatchObject({ cause: { code: 'auth-required' } });
  await manager.close();
  await close();
  expect(methods).toEqual(['server/discover']);
});
