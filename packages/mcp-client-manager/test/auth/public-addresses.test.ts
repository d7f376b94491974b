import { serveOnLoopback } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { isPublicAddress, publicFetch, type Resolve } from '../../src/auth/public-addresses.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A private server, and its number of requests. */
async function inside(): Promise<{ origin: string; reached: string[] }> {
  const reached: string[] = [];
  const { origin, close } = await serveOnLoopback((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"inside":true}');
  });
  closing.push(close);
  return { origin, reached };
}

/** Names of the test, each with the addresses that it resolves to, one list after the other. */
function names(known: Readonly<Record<string, readonly (readonly string[])[]>>): Resolve {
  const asked: Record<string, number> = {};
  return (hostname, _, callback) => {
    const lists = known[hostname];
    if (!lists) return callback(new Error(`${hostname} is unknown`), []);
    const index = Math.min(asked[hostname] ?? 0, lists.length - 1);
    asked[hostname] = index + 1;
    callback(
      null,
      (lists[index] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

const serverUrl = 'http://tools.test/mcp';

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::7f00:1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1%eth0',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'ff02::1',
  'localhost',
  '',
])('%s is not a public address', (address) => expect(isPublicAddress(address)).toBe(false));

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
  '%s is a public address',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ['a literal address', (port: string) => `http://127.0.0.1:${port}/latest/meta-data`],
  ['another spelling of it', (port: string) => `http://0x7f.1:${port}/latest/meta-data`],
  ['an IPv4 address in an IPv6 one', (port: string) => `http://[::ffff:127.0.0.1]:${port}/latest/meta-data`],
  ['a name of it', (port: string) => `http://inside.test:${port}/latest/meta-data`],
  ['a name with a public and a private address', (port: string) => `http://both.test:${port}/latest/meta-data`],
])('a server on a public address must not lead to a private one: %s', async (_, urlAt) => {
  const { origin, reached } = await inside();
  const resolve = names({
    'tools.test': [['8.8.8.8']],
    'inside.test': [['127.0.0.1']],
    'both.test': [['8.8.8.8', '127.0.0.1']],
  });
  const guarded = publicFetch({ fetch, serverUrl, resolve });
  await expect(guarded(urlAt(new URL(origin).port))).rejects.toThrow('leads to a private one');
  expect(reached).toEqual([]);
});

test('refuses a name that resolves to a private address when it connects', async () => {
  const { origin, reached } = await inside();
  const resolve = names({ 'tools.test': [['8.8.8.8'], ['8.8.8.8']], 'rebinds.test': [['127.0.0.1']] });
  const guarded = publicFetch({ fetch, serverUrl, resolve });
  const url = `http://rebinds.test:${new URL(origin).port}/`;
  await expect(guarded(url, { method: 'POST', body: 'grant_type=x' })).rejects.toThrow('leads to a private one');
  expect(reached).toEqual([]);
});

test('does not follow a redirect of the server to a private address', async () => {
  const { origin, reached } = await inside();
  const own = await serveOnLoopback((_, response) => void response.writeHead(302, { location: `${origin}/x` }).end());
  closing.push(own.close);
  const resolve = names({ 'tools.test': [['8.8.8.8']] });
  // Stands in for the way to a public server: what it answers is real.
  const toServer: typeof fetch = (_, init) => fetch(own.origin, init);
  const guarded = publicFetch({ fetch: toServer, serverUrl, resolve });
  await expect(guarded('http://tools.test/.well-known/oauth-protected-resource')).rejects.toThrow(
    'leads to a private one',
  );
  expect(reached).toEqual([]);
});

test('a server on a private address may lead to others', async () => {
  const { origin, reached } = await inside();
  for (const local of ['http://127.0.0.1:9/mcp', 'http://[::1]:9/mcp', 'http://box.test/mcp']) {
    const guarded = publicFetch({ fetch, serverUrl: local, resolve: names({ 'box.test': [['192.168.1.5']] }) });
    expect(await (await guarded(`${origin}/meta`)).json()).toEqual({ inside: true });
  }
  expect(reached).toEqual(['GET /meta', 'GET /meta', 'GET /meta']);
});

test('a server with a public and a private address counts as public', async () => {
  const { origin, reached } = await inside();
  const resolve = names({ 'tools.test': [['127.0.0.1', '8.8.8.8']] });
  await expect(publicFetch({ fetch, serverUrl, resolve })(`${origin}/meta`)).rejects.toThrow('leads to a private one');
  expect(reached).toEqual([]);
});
