import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway, gatewayCapabilities, singleClientCapabilities, toNodeListener } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
type Loose = any;

const require = createRequire(import.meta.url);
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const later = (end: () => Promise<unknown>) => opened.push({ [Symbol.asyncDispose]: async () => void (await end()) });

/** A server of files that may read `public`, beside which there is a secret. */
async function open(capabilities: Readonly<Record<string, unknown>>) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'shared-roots-')));
  later(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'public'));
  await writeFile(join(folder, 'secret.txt'), 'secret');
  const program = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
  const files = { name: 'files', command: process.execPath, args: [program, join(folder, 'public')] };
  const asks = { name: 'asks', ...testServer('asks-host') };
  const manager = createClientManager({ servers: [files, asks] }, { capabilities });
  const registry = createRegistry();
  const gateway = createGateway({ registry, upstreams: manager });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  return { gateway, folder };
}

/** A client whose roots are the whole folder, secret and all. */
async function connect(transport: Loose, folder: string) {
  const asked: string[] = [];
  const info = { name: 'test', version: '1.0.0' };
  const client = new Client(info, { capabilities: { roots: { listChanged: true } } });
  client.setRequestHandler('roots/list', () => {
    asked.push('roots/list');
    return { roots: [{ uri: pathToFileURL(folder).href }] };
  });
  await client.connect(transport);
  later(() => client.close());
  const call = async (name: string, args: Record<string, unknown>): Promise<Loose> =>
    client.callTool({ name: `mcp__files__${name}`, arguments: args });
  const secret = async () => (await call('read_text_file', { path: join(folder, 'secret.txt') })).content[0].text;
  /** Says that its roots have changed while it has calls under way, for the server to ask in the midst of them. */
  const move = async () => {
    const calls = Array.from({ length: 5 }, () =>
      call('search_files', { path: join(folder, 'public'), pattern: '**/x' }),
    );
    await client.sendRootsListChanged();
    await Promise.all(calls);
  };
  return { client, asked, secret, move };
}

test('no client over HTTP can move the roots of a server that all share', async () => {
  const { gateway, folder } = await open(gatewayCapabilities);
  const handler = gateway.handler({ verifyToken: (token) => ({ id: token }) });
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(handler);
  later(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const join = (token: string) =>
    connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
      folder,
    );
  const [mallory, victim] = [await join('mallory'), await join('victim')];
  for (let round = 0; round < 5; round++) await mallory.move();
  const ask = { name: 'mcp__asks__ask', arguments: { method: 'roots/list', params: {} } };
  const answered: Loose = await mallory.client.callTool(ask);
  expect(JSON.parse(answered.content[0].text).error.code).toBe(-32_601);
  expect([mallory.asked, victim.asked]).toEqual([[], []]);
  expect(await victim.secret()).toMatch(/access denied/i);
});

test('the only client, over stdio, says what its servers’ roots are', async () => {
  const { gateway, folder } = await open(singleClientCapabilities);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  opened.push(gateway.serve({ transport: serverSide as never }));
  const { asked, secret, move } = await connect(clientSide, folder);
  expect(await secret()).toMatch(/access denied/i);
  await expect
    .poll(
      async () => {
        await move();
        return secret();
      },
      { timeout: 20_000 },
    )
    .toBe('secret');
  expect(asked.length).toBeGreaterThan(0);
});
