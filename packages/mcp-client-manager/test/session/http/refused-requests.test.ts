import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { ManagerError } from '../../../src/errors.js';
import type { HttpServerSpec } from '../../../src/spec.js';
import { startModernHttp } from '../../helpers/modern-http.js';
import { startScriptedHttp } from '../../helpers/scripted-http.js';
import { failureOf, managerOf, managerWith } from '../../helpers/servers.js';

interface Refusal {
  readonly status: number;
  readonly body: (id: unknown) => object;
}

const words = (code: number) => ({ code, message: 'the words of the server', data: { k: 1 } });
const withId = (code: number) => (id: unknown) => ({ jsonrpc: '2.0', id, error: words(code) });

/** A server that refuses calls, in a session of 2025-11-25 or without one. */
async function refusing({ status, body }: Refusal, era: 'legacy' | 'modern'): Promise<HttpServerSpec> {
  const refuse = (response: ServerResponse, id: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' });
    response.end(JSON.stringify(body(id)));
  };
  const server =
    era === 'legacy'
      ? await startScriptedHttp({ onCall: ({ id, response }) => refuse(response, id) })
      : await startModernHttp({
          onMessage: (method, _, response, id) => {
            if (method === 'tools/call') refuse(response, id);
            return method === 'tools/call';
          },
        });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { name: 'web', url: server.url, protocol: era === 'legacy' ? 'legacy' : '2026-07-28' };
}

const table = [
  [200, -32_601, 'server-error'],
  [400, -32_602, 'server-error'],
  [400, -32_021, 'server-error'],
  [404, -32_601, 'server-error'],
  [403, -32_001, 'server-error'],
  [500, -32_603, 'server-error'],
  [429, -32_000, 'busy'],
  [503, -32_000, 'outcome-unknown'],
] as const;

test.each([...table.map((row) => ['modern', ...row] as const), ...table.map((row) => ['legacy', ...row] as const)])(
  'keeps the error of a %s server that comes with HTTP %i (%i)',
  async (era, status, code, kind) => {
    await using manager = managerOf(await refusing({ status, body: withId(code) }, era));
    const failure = (await failureOf(manager.callTool('web', 'act'))) as ManagerError;
    expect(failure).toMatchObject({ code: kind, rpc: words(code), retryable: kind === 'busy' });
    expect(failure.message).toContain(`the words of the server (${code})`);
    expect(failure.retryAfterMs).toBe(kind === 'server-error' ? undefined : 7_000);
    expect(manager.server('web').status.restarts).toBe(0);
  },
);

test('a refusal without an id is about the request of its response', async () => {
  const body = () => ({ jsonrpc: '2.0', id: null, error: words(-32_000) });
  await using manager = managerOf(await refusing({ status: 403, body }, 'modern'));
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({ rpc: words(-32_000) });
});

test.each([
  ['the error of another request', (id: unknown) => ({ jsonrpc: '2.0', id: Number(id) + 1, error: words(-32_601) })],
  ['an error that is not JSON-RPC', (id: unknown) => ({ id, error: words(404) })],
  ['an error without a code', (id: unknown) => ({ jsonrpc: '2.0', id, error: { message: 'no' } })],
  ['a result', (id: unknown) => ({ jsonrpc: '2.0', id, result: { content: [] } })],
])('HTTP 404 with %s has only its status', async (_, body) => {
  await using manager = managerOf(await refusing({ status: 404, body }, 'modern'));
  expect(await failureOf(manager.callTool('web', 'act'))).toMatchObject({
    code: 'server-error',
    rpc: undefined,
    message: 'Server "web" failed the call of "act": it answered HTTP 404.',
  });
});

test('redacts the error', async () => {
  const body = (id: unknown) => ({ jsonrpc: '2.0', id, error: { code: -1, message: 'no s3cr3t', data: ['s3cr3t'] } });
  const redact = (text: string): string => text.replaceAll('s3cr3t', '***');
  for (const status of [404, 429]) {
    await using manager = managerWith({ redact }, await refusing({ status, body }, 'modern'));
    const failure = (await failureOf(manager.callTool('web', 'act'))) as ManagerError;
    expect(failure.rpc).toEqual({ code: -1, message: 'no ***', data: ['***'] });
    expect(failure.message).not.toContain('s3cr3t');
  }
});

test('a session that is gone is opened again, with an error of JSON-RPC, too', async () => {
  let refusals = 0;
  const server = await startScriptedHttp({
    onCall: ({ id, response }) => {
      refusals += 1;
      if (refusals === 1) server.sessions.clear();
      response.writeHead(refusals === 1 ? 404 : 200, { 'content-type': 'application/json' });
      const answer = refusals === 1 ? { error: words(-32_001) } : { result: { content: [] } };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    },
  });
  onTestFinished(() => server.close());
  await using manager = managerOf({ name: 'web', url: server.url, protocol: 'legacy' });
  expect(await manager.callTool('web', 'act')).toEqual({ content: [] });
  expect(manager.server('web').status.restarts).toBe(1);
});
