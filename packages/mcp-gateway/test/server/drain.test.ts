import { request } from 'node:http';
import { withResolvers } from '@x/internal/async';
import { createRegistry } from '@x/mcp-registry';
import { tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import {
  createGateway,
  createRegistryHandler,
  type DrainOptions,
  type RegistryHandler,
  toNodeListener,
} from '../../src/index.js';
import { silentUpstreams } from '../gateway/helpers/plain-upstream.js';
import { modernHeaders, modernRequest, postRequest } from '../helpers/http-requests.js';
import { serveOnLoopback } from '../helpers/serve-on-loopback.js';

/** A server whose calls wait for the test. */
function waitingSource() {
  const called = withResolvers();
  const finished = withResolvers();
  const source = {
    name: 'slow',
    listTools: async () => [tool('wait')],
    callTool: async () => {
      called.resolve();
      await finished.promise;
      return { content: [{ type: 'text' as const, text: 'done' }] };
    },
  };
  return { source, called: called.promise, finish: finished.resolve };
}

function ask(handler: RegistryHandler, method: string, params: object = {}): Promise<Response> {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  const named = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  return handler.fetch(postRequest(modernRequest(method, params), { ...headers, ...named }));
}

async function open() {
  const { source, ...call } = waitingSource();
  const registry = createRegistry();
  await registry.attach(source).ready;
  const handler = createRegistryHandler(registry, { allowAnonymous: true, healthPath: '/healthz' });
  return { handler, ...call };
}

test('a draining handler finishes what is in progress, refuses the rest, and resolves when clients have their results', async () => {
  const { handler, called, finish } = await open();
  const answer = ask(handler, 'tools/call', { name: 'mcp__slow__wait', arguments: {} });
  await called;
  const drained = handler.drain();
  const late = await ask(handler, 'tools/list');
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await handler.fetch(new Request('http://10.1.2.3/healthz'))).status).toBe(503);
  finish();
  expect(await (await answer).json()).toMatchObject({ result: { content: [{ text: 'done' }] } });
  expect(await drained).toBe(true);
  await handler.close();
});

test('a drain ends at its limit, and a gateway drains all that it serves', async () => {
  const { source, called } = waitingSource();
  const registry = createRegistry();
  await registry.attach(source).ready;
  const gateway = createGateway({ registry, upstreams: silentUpstreams() });
  const handler = gateway.handler({ allowAnonymous: true });
  const cut = ask(handler, 'tools/call', { name: 'mcp__slow__wait', arguments: {} });
  await called;
  expect(await gateway.drain({ timeoutMs: 1 })).toBe(false);
  await gateway.close();
  expect((await cut).status).toBe(503);
});

test('a client that has left before its request is admitted is not waited for', async () => {
  const [identifying, admitted, closed] = [withResolvers(), withResolvers(), withResolvers()];
  const identified = withResolvers();
  const registry = createRegistry();
  const verifyToken = async (id: string) => {
    identifying.resolve();
    await identified.promise;
    return { id };
  };
  await using handler = createRegistryHandler(
    () => {
      admitted.resolve();
      return registry;
    },
    { verifyToken },
  );
  const listener = toNodeListener(handler);
  await using served = await serveOnLoopback((incoming, outgoing) => {
    outgoing.once('close', () => closed.resolve());
    // As a framework does that has read the body.
    listener(Object.assign(incoming, { body: modernRequest('tools/list') }), outgoing);
  });
  const headers = { ...modernHeaders('tools/list'), authorization: 'Bearer a', 'content-type': 'application/json' };
  const accept = 'application/json, text/event-stream';
  const asked = request(served.url, { method: 'POST', headers: { ...headers, accept } });
  asked.on('error', () => undefined).end();
  await identifying.promise;
  asked.destroy();
  await closed.promise;
  identified.resolve();
  await admitted.promise;
  await new Promise(setImmediate);
  expect(await handler.drain({ timeoutMs: 1_000 })).toBe(true);
});

test('without anything in progress it is over at once', async () => {
  const { handler } = await open();
  const listed = await ask(handler, 'tools/list');
  expect(await listed.json()).toMatchObject({ result: { tools: expect.any(Array) } });
  expect(await handler.drain({ timeoutMs: 60_000 })).toBe(true);
  await handler.close();
});

test.each([
  [{ timeoutMs: 0 }, 'timeoutMs must be'],
  [{ limitMs: 5 }, 'limitMs is not an option'],
])('refuses the options %j', async (options, message) => {
  const { handler } = await open();
  await expect((async () => handler.drain(options as DrainOptions))()).rejects.toThrow(message);
  await handler.close();
});
