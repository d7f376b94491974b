import { once } from 'node:events';
import { type createServer, request as openRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway, toNodeListener } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, serveOnLoopback, startHttpEcho } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

async function echoUrl(): Promise<string> {
  const echo = await startHttpEcho();
  opened.push({ [Symbol.asyncDispose]: () => echo.close() });
  return echo.url;
}

type Listener = Parameters<typeof createServer>[1];

/** A URL that is known before what answers there. */
async function openPlace() {
  let answer: Listener = (_, response) => void response.writeHead(503).end();
  const { origin, close } = await serveOnLoopback((incoming, response) => answer?.(incoming, response as never));
  opened.push({ [Symbol.asyncDispose]: close });
  return {
    url: `${origin}/mcp`,
    answerWith: (listener: Listener) => {
      answer = listener;
    },
  };
}

/** A gateway in front of an ordinary server and of others. */
async function openGateway(urls: Readonly<Record<string, string>>) {
  const servers = Object.entries(urls).map(([name, url]) => ({ name, url }));
  const manager = createClientManager({ servers: [{ name: 'echo', url: await echoUrl() }, ...servers] });
  const registry = createRegistry();
  const gateway = createGateway({ registry, upstreams: manager });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) await registry.attach(server).ready.catch(() => undefined);
  const toolsOf = (name: string) => registry.list().filter(({ server }) => server === name).length;
  const listener = toNodeListener(gateway.handler({ allowAnonymous: true })) as Listener;
  return { manager, registry, listener, toolsOf };
}

const reason = 'it reports a loop: the request reached the same gateway twice (HTTP 508)';
const isItself = { code: 'start-failed', message: expect.stringContaining(reason) };

test('a gateway that is a server of itself is refused with the reason, and its list does not grow', async () => {
  const place = await openPlace();
  const { manager, registry, listener, toolsOf } = await openGateway({ me: place.url });
  place.answerWith(listener);
  await manager.server('echo').start();
  await expect(manager.server('me').start()).rejects.toMatchObject(isItself);
  expect(toolsOf('me')).toBe(0);
  expect(registry.list().filter(({ server }) => server !== undefined && server !== 'echo')).toEqual([]);
});

test('a gateway behind a forwarded port is recognized, too', async () => {
  const [place, forwarded] = [await openPlace(), await openPlace()];
  const { manager, listener } = await openGateway({ other: forwarded.url });
  place.answerWith(listener);
  forwarded.answerWith(async (incoming, response) => {
    const { method, headers } = incoming;
    const target = new URL(place.url);
    const outgoing = openRequest(target, { method, headers: { ...headers, host: target.host } });
    outgoing.end(Buffer.concat(await incoming.toArray()));
    const [answer] = await once(outgoing, 'response');
    response.writeHead(answer.statusCode, answer.headers);
    await pipeline(answer, response).catch(() => undefined); // one of the two has gone
  });
  await expect(manager.server('other').start()).rejects.toMatchObject(isItself);
});

test('of two gateways that are servers of each other the second connection is refused', async () => {
  const [here, there] = [await openPlace(), await openPlace()];
  const a = await openGateway({ b: there.url });
  const b = await openGateway({ a: here.url });
  here.answerWith(a.listener);
  there.answerWith(b.listener);
  await a.manager.server('echo').start();
  await b.manager.server('echo').start();
  await b.manager.server('a').start();
  const before = a.registry.list().length;
  await expect(a.manager.server('b').start()).rejects.toMatchObject(isItself);
  expect([a.toolsOf('b'), a.registry.list().length]).toEqual([0, before]);
});

test('a chain of gateways that leads back to the first one is refused', async () => {
  const [first, second, third] = [await openPlace(), await openPlace(), await openPlace()];
  const a = await openGateway({ b: second.url });
  const b = await openGateway({ c: third.url });
  const c = await openGateway({ a: first.url });
  first.answerWith(a.listener);
  second.answerWith(b.listener);
  third.answerWith(c.listener);
  await a.manager.server('b').start();
  await b.manager.server('c').start();
  await expect(c.manager.server('a').start()).rejects.toMatchObject(isItself);
});

test('a gateway in front of another one is served, and sends each origin another mark', async () => {
  const marks: string[] = [];
  const [place, other] = [await openPlace(), await openPlace()];
  const inner = await openGateway({});
  const noting: Listener = (incoming, response) => {
    marks.push(String(incoming.headers['x-mcp-gateways']));
    inner.listener?.(incoming, response);
  };
  for (const each of [place, other]) each.answerWith(noting);
  const outer = await openGateway({ inner: place.url, again: other.url });
  await inner.manager.server('echo').start();
  await outer.manager.server('inner').start();
  expect(new Set(marks).size).toBe(1);
  await outer.manager.server('again').start();
  expect(new Set(marks).size).toBe(2);
  const result = await outer.manager.callTool('inner', 'search_mcp_tools', { query: '*' });
  expect(JSON.stringify(result)).toContain('mcp__echo__');
});
