import { afterEach, expect, test } from 'vitest';
import { retryAfterMs } from '../../src/session/http-retry-after.js';
import type { HttpServerSpec } from '../../src/spec.js';
import { type ScriptedHttp, startScriptedHttp } from '../helpers/scripted-http.js';
import { failureOf, managerOf } from '../helpers/servers.js';

let server: ScriptedHttp;
afterEach(() => server?.close());

/** A server whose calls are answered with the given status. */
async function answering(status: number, headers: Record<string, string> = {}): Promise<HttpServerSpec> {
  server = await startScriptedHttp({ onCall: ({ response }) => void response.writeHead(status, headers).end('no') });
  return { name: 'web', url: server.url, protocol: 'legacy' };
}

const calls = (): number => server.log.filter((method) => method === 'tools/call').length;

test.each([429, 503])('a server without time is busy, and says when to come back (%i)', async (status) => {
  await using manager = managerOf(await answering(status, { 'retry-after': '7' }));
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({
    code: 'busy',
    retryable: true,
    retryAfterMs: 7_000,
    message: `Server "web" did not take the call of "act": it answered HTTP ${status}. Call again in 7 s.`,
  });
  const request = manager.server('web').request('tools/call', { name: 'act', task: {} });
  expect(await failureOf(request)).toMatchObject({ code: 'busy', retryAfterMs: 7_000 });
});

test.each([502, 504])('nobody knows what became of a call that a gateway lost (%i)', async (status) => {
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
])('five such answers in a row refuse calls for a while (%i, %o)', async (status, headers, waitMs) => {
  await using manager = managerOf(await answering(status, headers));
  for (let call = 0; call < 5; call += 1) await failureOf(manager.callTool('web', 'act'));
  const refused = (await failureOf(manager.callTool('web', 'act'))) as { code: string; retryAfterMs: number };
  expect(refused).toMatchObject({ code: 'busy', message: expect.stringContaining('failed under the last calls') });
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
])('the wait that %j asks for is %j milliseconds', (value, ms) => {
  expect(retryAfterMs(value, 10_000)).toBe(ms);
});
