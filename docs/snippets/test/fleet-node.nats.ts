// deploy/ as far as it can be run on one machine: nats-server with its configuration, and two nodes with the program that its
// files start.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { nkeys } from '@nats-io/transport-node';
import { natsAccountsConfig } from '@x/mcp-fleet/nats';
import { expectNoLeaks, startNatsServer, testServer, withOwner } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { certificates } from '../../../packages/mcp-fleet/test/nats/fixtures/certificates.js';

const snippets = join(import.meta.dirname, '..');
const token = 'a-token-that-only-anna-knows';
const nodes = ['build-1', 'build-2'];

let folder: string;
const started: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-fleet-node-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL'); // of a test that failed
  await rm(folder, { recursive: true, force: true });
  await expectNoLeaks();
});

test('two nodes as deploy/ has them: one calls a tool of the other through its gateway, and both end in good order', async () => {
  await writeFiles();
  await using nats = await startNatsServer({ jetstream: false, config: await natsConfig() });
  const processes = await Promise.all(nodes.map((node) => startNode(node, nats.port)));
  const [, { port }] = processes as [Node, Node];
  for (const name of ['127.0.0.1', 'fleet-node', 'fleet-node.mcp-fleet.svc.cluster.local:6279']) {
    expect(await statusOf(port, name, '/mcp')).toBe(401);
  }
  expect(await statusOf(port, 'elsewhere.example.com', '/mcp')).toBe(403);
  expect(await statusOf(port, '10.1.2.3:6279', '/healthz')).toBe(200);

  const client = await connect(port);
  const result = await client.callTool({ name: await nameOf(client, 'build-1'), arguments: { message: 'Hello' } });
  expect(JSON.stringify(result.content)).toContain('Hello');
  await client.close();

  for (const { child } of processes) child.kill('SIGTERM');
  expect(await Promise.all(processes.map(({ exitCode }) => exitCode))).toEqual([0, 0]);
});

test('what the configuration says is to run once is started by one of two nodes, and by the other when that one ends', async () => {
  await writeFiles();
  await using nats = await startNatsServer({ jetstream: false, config: await natsConfig() });
  const processes = await Promise.all(nodes.map((node) => startNode(node, nats.port)));
  const clients = await Promise.all(processes.map(({ port }) => connect(port)));
  const [first] = processes as [Node, Node];
  const { holder } = await first.line('singleton-state', (line) => line.holder !== undefined);
  const pids = await Promise.all(clients.map(pidOf));
  expect(pids[0]).toBe(pids[1]);
  expect(await starts()).toEqual([holder]);

  const ending = processes.find(({ name }) => name === holder) as Node;
  const staying = processes.find(({ name }) => name !== holder) as Node;
  ending.child.kill('SIGTERM');
  expect(await ending.exitCode).toBe(0);
  await staying.line('singleton-state', (line) => line.holder === staying.name);
  expect(await pidOf(clients[processes.indexOf(staying)] as Client)).not.toBe(pids[0]);
  expect(await starts()).toEqual([holder, staying.name]);
  staying.child.kill('SIGTERM');
  await staying.exitCode;
});

test('a node tells of its fleet when it is asked, and why it is no part of it as soon as that is known', async () => {
  await writeFiles();
  await using nats = await startNatsServer({ jetstream: false, config: await natsConfig() });
  const first = await startNode('build-1', nats.port);
  await first.line('joined');
  const second = await startNode('build-1', nats.port);
  expect(await second.line('join-failed')).toMatchObject({
    error: { code: 'node-taken', message: expect.stringContaining('"build-1" is taken by another process') },
  });
  for (const { child } of [first, second]) child.kill('SIGUSR2');
  expect(await first.line('status')).toMatchObject({
    phase: 'joined',
    nodes: [{ node: 'build-1', servers: [{ server: 'clock' }, { server: 'everything' }] }],
    singletons: [{ server: 'clock', holder: 'build-1' }],
  });
  expect(await second.line('status')).toMatchObject({
    phase: 'failed',
    error: { code: 'node-taken', message: expect.stringContaining('is taken') },
  });
  for (const { child, exitCode } of [first, second]) {
    child.kill('SIGTERM');
    expect(await exitCode).toBe(0);
  }
});

interface Node {
  readonly name: string;
  readonly child: ChildProcess;
  readonly port: number;
  readonly exitCode: Promise<number | null>;
  /** The first line of that event that is as wanted, of those that came already, too. */
  line(event: string, isWanted?: (line: Line) => boolean): Promise<Line>;
}

interface Line {
  readonly event: string;
  readonly [key: string]: unknown;
}

async function startNode(node: string, natsPort: number): Promise<Node> {
  const program = join(snippets, 'nats', 'fleet-node.ts');
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program], {
    cwd: join(folder, 'config'),
    env: withOwner({
      PATH: process.env.PATH,
      HOME: folder,
      FLEET_NODE: node,
      FLEET_SEED_FILE: join(folder, `${node}.seed`),
      NATS_SERVERS: `tls://127.0.0.1:${natsPort}`,
      NATS_CA_FILE: join(folder, 'ca.crt'),
      TOKENS_FILE: join(folder, 'tokens.json'),
      GATEWAY_PORT: '0',
      GATEWAY_HOST: '127.0.0.1,fleet-node,fleet-node.mcp-fleet.svc.cluster.local',
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  const line = linesOf(node, child.stdout);
  const { port } = await line('listening');
  return { name: node, child, port: Number(port), exitCode, line };
}

function linesOf(node: string, input: NodeJS.ReadableStream): Node['line'] {
  const lines: Line[] = [];
  const reader = createInterface({ input });
  let isOver = false;
  reader.on('line', (text) => lines.push(JSON.parse(text)));
  reader.on('close', () => {
    isOver = true;
  });
  return async (event, isWanted = () => true) => {
    for (;;) {
      const found = lines.find((line) => line.event === event && isWanted(line));
      if (found !== undefined) return found;
      if (isOver) throw new Error(`${node} has ended, and has told of no such ${event}`);
      await Promise.race([once(reader, 'line'), once(reader, 'close')]);
    }
  };
}

async function connect(port: number): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

/** Asked under that name, which `fetch` would not say. */
async function statusOf(port: number, name: string, path: string): Promise<number | undefined> {
  const [{ statusCode }] = await once(request({ port, path, headers: { host: name } }).end(), 'response');
  return statusCode;
}

/** Which process it is that answers for the server that runs once. */
async function pidOf(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: await toolNamed(client, 'mcp__clock__pid'), arguments: {} });
  return JSON.stringify(content);
}

/** The nodes that have started the server that runs once, in their order. */
async function starts(): Promise<readonly string[]> {
  return (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n');
}

/** The public name of that node's tool `echo`, as soon as the gateway has it. */
function nameOf(client: Client, node: string): Promise<string> {
  return toolNamed(client, `mcp__everything_${node}__echo`);
}

async function toolNamed(client: Client, start: string): Promise<string> {
  for (;;) {
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name.startsWith(start));
    if (tool !== undefined) return tool.name;
  }
}

async function writeFiles(): Promise<void> {
  const { ca, serverCert, serverKey } = certificates;
  const keys = nodes.map((node) => ({ node, pair: nkeys.createUser() }));
  const accounts = keys.map(({ node, pair }) => ({ node, nkey: pair.getPublicKey() }));
  const everything = join(snippets, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const echo = testServer('echo');
  const files = {
    'ca.crt': ca,
    'tls.crt': serverCert,
    'tls.key': serverKey,
    'accounts.conf': natsAccountsConfig({ fleet: 'team', nodes: accounts }),
    'tokens.json': JSON.stringify([{ tokenSha256: sha256(token), id: 'anna', role: 'reader' }]),
    'config/mcp_servers.yaml': JSON.stringify({
      mcp_servers: {
        everything: { command: [process.execPath, everything], auto_start: true },
        // Writes down which node has started it.
        clock: {
          command: ['sh', '-c', `echo "$FLEET_NODE" >> ${folder}/starts; exec "$@"`, 'sh', echo.command, ...echo.args],
          env: { FLEET_NODE: ['$', '{FLEET_NODE}'].join('') },
          auto_start: true,
          fleet: { placement: 'singleton' },
        },
      },
    }),
    'config/tools.yaml':
      'tools: { gateway: { role_restrictions: { reader: { allowed_tools: [everything.echo, everything@build-1.echo, clock.pid] } } } }\n',
    ...Object.fromEntries(keys.map(({ node, pair }) => [`${node}.seed`, new TextDecoder().decode(pair.getSeed())])),
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
