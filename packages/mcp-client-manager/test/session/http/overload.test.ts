import { serveOnLoopback } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/session/http/retry-after.js';
import type { HttpServerSpec } from '../../../src/spec.js';
import { answerJson, type ScriptedHttp, startScriptedHttp } from '../../helpers/scripted-http.js';
import { failureOf, managerOf } from '../../helpers/servers.js';

let server: ScriptedHttp;
afterEach(() => server?.close());

/** A server whose calls are answered with the given status. */
async function answering(status: number, headers: Record<string, string> = {}): Promise<HttpServerSpec> {
  server = await startScriptedHttp({ onCall: ({ response }) => void response.writeHead(status, headers).end('no') });
  return { name: 'web', url: server.url, protocol: 'legacy' };
}

const calls = (): number => server.log.filter((method) => method === 'tools/call').length;

test('HTTP 429 is busy, with the time of the retry', async () => {
  await using manager = managerOf(await answering(429, { 'retry-after': '7' }));
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({
    code: 'busy',
    retryable: true,
    retryAfterMs: 7_000,
    message: 'Server "web" refused the call of "act": it answered HTTP 429. Retry in 7 s.',
  });
  const request = manager.server('web').request('tools/call', { name: 'act', task: {} });
  expect(await failureOf(request)).toMatchObject({ code: 'busy', retryAfterMs: 7_000 });
});

/** A server that does the work, and then answers with the given status like a proxy that lost it. */
async function workingThenAnswering(status: number, headers: Record<string, string>, annotations: object) {
  const effects: number[] = [];
  const tools = [{ name: 'act', inputSchema: { type: 'object' }, annotations }];
  const { origin, close } = await serveOnLoopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') {
      effects.push(id);
      return void response.writeHead(status, headers).end('upstream connect error or disconnect/reset before headers');
    }
    const serverInfo = { name: 'proxied', version: '1' };
    const initialized = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
    answerJson(response, id, method === 'initialize' ? initialized : { tools });
  });
  return { url: `${origin}/mcp`, effects, [Symbol.asyncDispose]: close };
}

test.each([{}, { 'retry-after': '7' }])(
  'a call that was done before HTTP 503 is not retryable (%o)',
  async (headers) => {
    await using proxied = await workingThenAnswering(503, headers, {});
    await using manager = managerOf({ name: 'web', url: proxied.url, protocol: 'legacy', trusted: true });
    expect(await failureOf(manager.callTool('web', 'act', {}, { repeat: 'if-safe' }))).toMatchObject({
      code: 'outcome-unknown',
      retryable: false,
      retryAfterMs: 'retry-after' in headers ? 7_000 : undefined,
      message:
        'Server "web" failed the call of "act": it answered HTTP 503. It may have taken effect, so it was not repeated.',
    });
    const request = manager.server('web').request('tools/call', { name: 'act', task: {} });
    expect(await failureOf(request)).toMatchObject({ code: 'outcome-unknown', retryable: false });
    expect(proxied.effects).toHaveLength(2);
  },
);

test.each([
  [{ idempotentHint: true }, true, 'busy'],
  [{ readOnlyHint: true }, true, 'busy'],
  [{ idempotentHint: true }, false, 'outcome-unknown'],
  [{ idempotentHint: false }, true, 'outcome-unknown'],
])('after HTTP 503 a tool with %o is retryable if it is safe and trusted (%s)', async (annotations, trusted, code) => {
  await using proxied = await workingThenAnswering(503, {}, annotations);
  await using manager = managerOf({ name: 'web', url: proxied.url, protocol: 'legacy', trusted });
  await manager.start();
  const failure = await failureOf(manager.callTool('web', 'act'));
  expect(failure).toMatchObject({ code, retryable: code === 'busy' });
  expect(proxied.effects).toHaveLength(1);
});

test.each([502, 504])('a call that a gateway lost has an unknown outcome (%i)', async (status) => {
  await using manager = managerOf(await answering(status));
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({
    code: 'outcome-unknown',
    retryable: false,
    cause: { message: `For the call of "act", it answered HTTP ${status}` },
  });
});

test.each([
  [502, {}, 30_000],
  [503, { 'retry-after': '90' }, 90_000],
  [429, { 'retry-after': '0' }, 1_000],
])('refuses calls for a while after five such responses in a row (%i, %o)', async (status, headers, waitMs) => {
  await using manager = managerOf(await answering(status, headers));
  for (let call = 0; call < 5; call += 1) await failureOf(manager.callTool('web', 'act'));
  const refused = (await failureOf(manager.callTool('web', 'act'))) as { code: string; retryAfterMs: number };
  expect(refused).toMatchObject({ code: 'busy', message: expect.stringContaining('failed during the last calls') });
  expect(refused.retryAfterMs).toBeGreaterThan(0);
  expect(refused.retryAfterMs).toBeLessThanOrEqual(waitMs);
  expect(refused.retryAfterMs).toBeGreaterThan(waitMs === 1_000 ? 0 : waitMs / 2);
  expect(await failureOf(manager.server('web').request('ping'))).toMatchObject({ code: 'busy' });
  expect(calls()).toBe(5);
});

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['99999999999', 86_400_000],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
])('reads Retry-After %j as %j milliseconds', (value, ms) => {
  expect(retryAfterMs(value, 10_000)).toBe(ms);
});
