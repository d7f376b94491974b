import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway, toNodeListener } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, serveOnLoopback, startHttpEcho } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { connectHttp, generations } from '../helpers/http-client.js';

const token = 'the-token-of-a-client';
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

/** Stands before a server and keeps all that is sent to it. */
async function recordAll(target: URL) {
  const recorded: string[] = [];
  const { origin, close } = await serveOnLoopback(async (incoming, response) => {
    const { method, url, headers, rawHeaders } = incoming;
    const body = Buffer.concat(await incoming.toArray());
    recorded.push([method, url, ...rawHeaders, body.toString()].join('\n'));
    const outgoing = openRequest(new URL(url ?? '/', target), { method, headers: { ...headers, host: target.host } });
    response.once('close', () => outgoing.destroy());
    outgoing.end(body);
    const [answer] = await once(outgoing, 'response').catch(() => []);
    if (answer === undefined) return void response.destroy();
    response.writeHead(answer.statusCode, answer.headers);
    await pipeline(answer, response).catch(() => undefined); // one of the two has gone
  });
  opened.push({ [Symbol.asyncDispose]: close });
  return { url: new URL(target.pathname, origin).href, recorded };
}

async function serveGateway() {
  const echo = await startHttpEcho();
  opened.push({ [Symbol.asyncDispose]: () => echo.close() });
  const { url, recorded } = await recordAll(new URL(echo.url));
  const manager = createClientManager({ servers: [{ name: 'echo', url, autoStart: true }] });
  const registry = createRegistry();
  const gateway = createGateway({ registry, upstreams: manager });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  const { origin, close } = await serveOnLoopback(toNodeListener(gateway.handler({ token })));
  opened.push({ [Symbol.asyncDispose]: close });
  return { url: `${origin}/mcp`, recorded };
}

test.each(generations)(
  "a server sees a call and its trace, and nothing of its client's token: client %s",
  async (generation) => {
    const { url, recorded } = await serveGateway();
    const connected = await connectHttp(url, { token, generation });
    opened.push(connected);
    const { client } = connected;
    await client.listTools();
    const call = { name: 'mcp__echo__header', arguments: { name: 'authorization' }, _meta: { traceparent } };
    expect((await client.callTool(call)).content).toEqual([{ type: 'text', text: '' }]);
    const all = recorded.join('\n');
    expect(all).toContain('tools/call');
    expect(all).toContain(traceparent);
    expect(all).not.toContain(token);
    expect(all.toLowerCase()).not.toContain('bearer');
  },
);
