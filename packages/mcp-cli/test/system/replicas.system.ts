import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { connectHttp, generations, post } from '../helpers/http-client.js';
import { project, serversFile } from '../helpers/project.js';
import { startServingProcess } from '../helpers/serving.js';
import { freePort, startProgram, temporaryFolder } from './system-program.js';

type Serving = Awaited<ReturnType<typeof startServingProcess>>;

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

function own<Opened extends AsyncDisposable>(one: Opened): Opened {
  opened.push(one);
  return one;
}

type Proxy = 'haproxy' | 'nginx';

const callers = Array.from({ length: 12 }, (_, index) => ({
  id: `caller-${index}`,
  token: `token-of-caller-${index}`,
}));
const files = {
  'mcp_servers.yaml': serversFile([
    { name: 'files', server: 'echo' },
    { name: 'asks', server: 'asks-host' },
  ]),
  'tools.yaml': 'tools: { all: { role_restrictions: { all: { allowed_tools: [files.*, asks.*] } } } }',
};

/** Two replicas behind the proxy, as its file in deploy/ has it. */
async function replicasBehind(proxy: Proxy) {
  const { folder } = own(await temporaryFolder());
  const here = own(await project(files));
  await writeFile(join(here.folder, 'tokens.yaml'), JSON.stringify({ tokens: callers }), { mode: 0o600 });
  const args = ['--tokens-file', 'tokens.yaml', '--role', 'all', '--ready-path', '/readyz'];
  const replicas = await Promise.all([startServingProcess(here.folder, args), startServingProcess(here.folder, args)]);
  for (const replica of replicas) own(replica);
  const [port, statsPort] = [await freePort(), await freePort()];
  const text = await configOf(proxy, folder, { port, statsPort, replicas });
  const file = join(folder, 'proxy.conf');
  await writeFile(file, text);
  const program = own(start(proxy, file, folder));
  const url = `http://127.0.0.1:${port}/mcp`;
  const statusOf = () =>
    post(url).then(
      ({ status }) => status,
      () => program.output(),
    );
  await expect.poll(statusOf, { timeout: 20_000 }).toBe(401);
  const stats = async () => (await fetch(`http://127.0.0.1:${statsPort}/stats;csv`)).text();
  return { url, replicas, stats };
}

async function configOf(
  proxy: Proxy,
  folder: string,
  {
    port,
    statsPort,
    replicas,
  }: { readonly port: number; readonly statsPort: number; readonly replicas: readonly Serving[] },
): Promise<string> {
  const name = proxy === 'haproxy' ? 'haproxy.cfg' : 'nginx.conf';
  const deployed = await readFile(fileURLToPath(new URL(`../../../../deploy/proxy/${name}`, import.meta.url)), 'utf8');
  const placed = [port, ...replicas.map(({ url }) => new URL(url).port)].reduce<string>(
    (text, own, index) => text.replaceAll(`127.0.0.1:${[8080, 6281, 6282][index]}`, `127.0.0.1:${own}`),
    deployed,
  );
  const stats = `listen stats\n  bind 127.0.0.1:${statsPort}\n  stats enable\n  stats uri /stats\n`;
  if (proxy === 'haproxy') return `${placed}\n${stats}`;
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`);
  return placed.replace('http {', `http { access_log off; ${paths.join(' ')}`);
}

function start(proxy: Proxy, file: string, folder: string) {
  if (proxy === 'haproxy') return startProgram(process.env.HAPROXY ?? 'haproxy', ['-db', '-f', file]);
  const settings = `daemon off; pid ${folder}/pid; error_log stderr;`;
  return startProgram(process.env.NGINX ?? '/usr/sbin/nginx', ['-e', 'stderr', '-c', file, '-g', settings]);
}

const pidThrough = async (client: Client): Promise<string> => {
  const { content } = await client.callTool({ name: 'mcp__files__pid', arguments: {} });
  return (content as readonly { readonly text: string }[])[0]?.text ?? '';
};

test.each((['haproxy', 'nginx'] as const).flatMap((proxy) => generations.map((generation) => ({ proxy, generation }))))(
  'behind $proxy a $generation client is answered, and its session stays where it was opened',
  async ({ proxy, generation }) => {
    const behind = await replicasBehind(proxy);
    const seen = new Set<string>();
    for (const { token } of callers) {
      await using connection = await connectHttp(behind.url, { token, generation });
      const pids = new Set<string>();
      for (let call = 0; call < 4; call += 1) pids.add(await pidThrough(connection.client));
      if (generation !== '2.x of 2026-07-28') expect(pids.size).toBe(1);
      for (const pid of pids) seen.add(pid);
    }
    expect(seen.size).toBe(2); // no replica starves
  },
);

test('behind HAProxy a replica that drains gets the answers of its clients, and no new session', async () => {
  const behind = await replicasBehind('haproxy');
  const [{ token }] = callers as [(typeof callers)[number]];
  const capabilities = { elicitation: { form: {} } };
  const clientInfo = { name: 'official', version: '1.0.0' };
  const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: 'legacy' } });
  const accepted = { action: 'accept' as const, content: {} };
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const byPid = new Map<string, Serving>();
  for (const replica of behind.replicas) {
    await using direct = await connectHttp(replica.url, { token });
    byPid.set(await pidThrough(direct.client), replica);
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(behind.url), { requestInit }));
  const used = byPid.get(await pidThrough(client)) as Serving;
  const other = behind.replicas.find((replica) => replica !== used) as Serving;
  client.setRequestHandler('elicitation/create', async () => {
    used.child.kill('SIGTERM');
    const ready = () => fetch(new URL('/readyz', used.url)).then((response) => response.text());
    await expect.poll(ready).toBe('draining\n');
    await expect.poll(behind.stats, { timeout: 20_000 }).toMatch(/replica-[12],.*,DOWN,/);
    for (let session = 0; session < 4; session += 1) {
      await using fresh = await connectHttp(behind.url, { token });
      expect(byPid.get(await pidThrough(fresh.client))).toBe(other);
    }
    return accepted;
  });
  const { content } = await client.callTool({
    name: 'mcp__asks__ask',
    arguments: {
      method: 'elicitation/create',
      params: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
    },
  });
  expect(content).toEqual([{ type: 'text', text: JSON.stringify({ result: accepted }) }]);
  await client.close();
  expect((await used.ended()).exitCode).toBe(exitCodes.ok);
});
