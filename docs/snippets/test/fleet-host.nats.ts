// deploy/ as far as it can be run on one machine: nats-server with its configuration, and two hosts with the program that its
// files start.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { nkeys } from '@nats-io/transport-node';
import { natsAccountsConfig } from '@x/mcp-fleet/nats';
import { expectNoLeaks, startNatsServer, withOwner } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { certificates } from '../../../packages/mcp-fleet/test/nats/fixtures/certificates.js';

const snippets = join(import.meta.dirname, '..');
const token = 'a-token-that-only-anna-knows';
const hosts = ['build-1', 'build-2'];

let folder: string;
const started: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-fleet-host-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL'); // of a test that failed
  await rm(folder, { recursive: true, force: true });
  await expectNoLeaks();
});

test('two hosts as deploy/ has them: one calls a tool of the other through its gateway, and both end in good order', async () => {
  await writeFiles();
  await using nats = await startNatsServer({ jetstream: false, config: await natsConfig() });
  const processes = await Promise.all(hosts.map((host) => startHost(host, nats.port)));
  const [, { port }] = processes as [Host, Host];
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  expect((await fetch(new URL('/healthz', url), { headers: { host: 'localhost' } })).status).toBe(200);

  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  const result = await client.callTool({ name: await nameOf(client, 'build-1'), arguments: { message: 'Hello' } });
  expect(JSON.stringify(result.content)).toContain('Hello');
  await client.close();

  for (const { child } of processes) child.kill('SIGTERM');
  expect(await Promise.all(processes.map(({ exitCode }) => exitCode))).toEqual([0, 0]);
});

interface Host {
  readonly child: ChildProcess;
  readonly port: number;
  readonly exitCode: Promise<number | null>;
}

async function startHost(host: string, natsPort: number): Promise<Host> {
  const program = join(snippets, 'nats', 'fleet-host.ts');
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program], {
    cwd: join(folder, 'config'),
    env: withOwner({
      PATH: process.env.PATH,
      HOME: folder,
      FLEET_HOST: host,
      FLEET_SEED_FILE: join(folder, `${host}.seed`),
      NATS_SERVERS: `tls://127.0.0.1:${natsPort}`,
      NATS_CA_FILE: join(folder, 'ca.crt'),
      TOKENS_FILE: join(folder, 'tokens.json'),
      GATEWAY_PORT: '0',
      GATEWAY_HOST: '127.0.0.1',
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /port: (\d+)/.exec(line)?.[1];
    if (port !== undefined) return { child, port: Number(port), exitCode };
  }
  throw new Error(`${host} ended with ${await exitCode} before it listened`);
}

/** The public name of that host's tool `echo`, as soon as the gateway has it. */
async function nameOf(client: Client, host: string): Promise<string> {
  for (;;) {
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name.startsWith(`mcp__everything_${host}__echo`));
    if (tool !== undefined) return tool.name;
  }
}

async function writeFiles(): Promise<void> {
  const { ca, serverCert, serverKey } = certificates;
  const keys = hosts.map((host) => ({ host, pair: nkeys.createUser() }));
  const accounts = keys.map(({ host, pair }) => ({ host, nkey: pair.getPublicKey() }));
  const everything = join(snippets, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const files = {
    'ca.crt': ca,
    'tls.crt': serverCert,
    'tls.key': serverKey,
    'accounts.conf': natsAccountsConfig({ fleet: 'team', hosts: accounts }),
    'tokens.json': JSON.stringify([{ tokenSha256: sha256(token), id: 'anna', role: 'reader' }]),
    'config/mcp_servers.yaml': `mcp_servers:\n  everything:\n    command: ['${process.execPath}', '${everything}']\n    auto_start: true\n`,
    'config/tools.yaml':
      'tools: { gateway: { role_restrictions: { reader: { allowed_tools: [everything.echo, everything@build-1.echo] } } } }\n',
    ...Object.fromEntries(keys.map(({ host, pair }) => [`${host}.seed`, new TextDecoder().decode(pair.getSeed())])),
  };
  await mkdir(join(folder, 'config'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
}

/** The file of deploy/, with the folders of this test, and with no place of its own to listen at. */
async function natsConfig(): Promise<string> {
  const file = await readFile(join(snippets, '../../deploy/nats/nats-server.conf'), 'utf8');
  return (
    file
      .replace(/^(listen|http): .*$/gm, '')
      .replaceAll('/etc/nats/', `${folder}/`)
      .replaceAll('/var/lib/nats', `${folder}/store`)
      // What is included is looked for from the folder of the file that says so, which is another one beside this.
      .replace('include "accounts.conf"', `include "../${basename(folder)}/accounts.conf"`)
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
