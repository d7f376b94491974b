import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expectNoLeaks, type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import type { DaemonStage } from '../helpers/daemon-stage.js';
import { machine, membershipOf, newFleet, ok, reportOf, seen } from '../helpers/fleet-machines.js';
import { faultsOf } from '../helpers/output-schema.js';
import type { ServerEntry } from '../helpers/project.js';
import { type Outcome, runMcpx } from '../helpers/run-mcpx.js';
import { mcpx } from '../helpers/serving.js';
import { onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

let nats: NatsServer;

beforeAll(async () => {
  nats = await startNatsServer();
});

afterAll(() => nats.stop());

function joined(stage: DaemonStage, node: string, fleet: string): Promise<Outcome> {
  return ok(stage, 'fleet', 'join', nats.url, '--node', node, '--fleet', fleet);
}

describe('two daemons on one nats-server', () => {
  test("each finds and calls the other's tools, until one leaves", async () => {
    const fleet = newFleet();
    await using left = await machine();
    await using right = await machine([{ name: 'docs', server: 'echo' }]);
    await ok(left, 'up');
    await ok(right, 'up');
    expect((await joined(left, 'left', fleet)).stdout).toBe(
      `Fleet "${fleet}": this node is "left", joined, with 0 other nodes\n`,
    );
    await joined(right, 'right', fleet);
    await seen(right, 'left', 'files', { source: 'files@left', placement: 'pinned', state: 'running', tools: 8 });
    await seen(left, 'right', 'docs', { source: 'docs@right', state: 'running' });

    for (const [schema, ...argv] of [
      ['fleet status', 'fleet', 'status'],
      ['status', 'status'],
    ] as const) {
      const { stdout } = await ok(right, ...argv, '--json');
      expect(faultsOf(schema, JSON.parse(stdout)), stdout).toEqual([]);
    }
    expect((await ok(right, 'search', 'pid')).stdout).toContain('mcp__files_left__pid');
    const here = (await ok(left, 'call', 'files.pid')).stdout;
    expect((await ok(right, 'call', 'files@left.pid')).stdout).toBe(here);
    expect((await ok(right, 'status')).stdout).toMatch(/^files@left +● running +pinned +8$/m);
    expect((await ok(right, 'fleet', 'status')).stdout).toMatch(/^left +files +pinned +● running +8 +files@left$/m);

    expect((await ok(left, 'fleet', 'leave')).stdout).toBe(`Left the fleet "${fleet}".\n`);
    expect(await membershipOf(left)).toBeUndefined();
    await until(async () => (await reportOf(right))?.nodes.length === 1);
    expect((await onStage(right, ['call', 'files@left.pid'])).exitCode).toBe(exitCodes.notFound);
    expect((await ok(left, 'call', 'files.pid')).stdout).toBe(here);
    expect((await onStage(left, ['fleet', 'status'])).exitCode).toBe(exitCodes.failed);
  });

  test('stopped servers start by joining, and by a call from another node', async () => {
    const fleet = newFleet();
    await using owner = await machine();
    await using edge = await machine([{ name: 'docs', server: 'echo' }]);
    await joined(owner, 'owner', fleet);
    await joined(edge, 'edge', fleet);
    await seen(edge, 'owner', 'files', { state: 'running', tools: 8 });
    await ok(owner, 'stop', 'files');
    await seen(edge, 'owner', 'files', { state: 'stopped', tools: 8 });
    await ok(edge, 'call', 'files@owner.pid');
    await seen(edge, 'owner', 'files', { state: 'running' });
  });

  test('a server of another node can be searched and called; other commands refer to its node', async () => {
    const fleet = newFleet();
    await using owner = await machine();
    await using edge = await machine([{ name: 'docs', server: 'echo' }]);
    await joined(owner, 'owner', fleet);
    await joined(edge, 'edge', fleet);
    await seen(edge, 'owner', 'files', { state: 'running', tools: 8 });
    const { stdout } = await ok(edge, 'search', 'pid', '--server', 'files@owner');
    expect(stdout).toContain('mcp__files_owner__pid');
    expect(stdout).not.toContain('mcp__docs__pid');
    for (const command of ['status', 'discover', 'restart', 'logs', 'health']) {
      const { stderr } = await onStage(edge, [command, 'files@owner']);
      expect(stderr, command).toContain('"files@owner" is a server of the node "owner", not of this one.');
    }
    for (const [tool, why] of [
      ['files@nobody.pid', `The fleet "${fleet}" has no node named "nobody".\nOther nodes: owner.`],
      ['books@owner.read', 'The node "owner" offers no server named "books" to the fleet.\nIt offers: files.'],
    ] as const) {
      expect((await onStage(edge, ['call', tool])).stderr).toContain(why);
    }
  });

  test("the owner's roles decide too, under the name that the server has there", async () => {
    const fleet = newFleet();
    await using owner = await machine();
    await using edge = await machine([{ name: 'docs', server: 'echo' }]);
    await writeFile(join(owner.folder, 'tools.yaml'), roles('review', 'files.pid'));
    await writeFile(join(edge.folder, 'tools.yaml'), roles('review', 'files@owner.*'));
    await ok(owner, 'up');
    await joined(owner, 'owner', fleet);
    await joined(edge, 'edge', fleet);
    await seen(edge, 'owner', 'files', { tools: 8 });

    await ok(edge, 'call', 'files@owner.pid', '--role', 'review');
    const refused = await onStage(edge, ['call', 'files@owner.echo', 'text=hello', '--role', 'review']);
    expect(refused.exitCode).toBe(exitCodes.notFound);
    expect(refused.stderr).toContain('There is no tool "echo" of the server "files" on the node owner');
    // Another node is not the owner's own user, who may do everything without a role.
    expect((await onStage(edge, ['call', 'files@owner.pid'])).exitCode).toBe(exitCodes.notFound);
    await ok(owner, 'call', 'files.echo', 'text=hello');
  });

  test('a restarted daemon joins again and stores no secret', async () => {
    const fleet = newFleet();
    await using left = await machine();
    await using right = await machine([{ name: 'docs', server: 'echo' }]);
    await joined(left, 'left', fleet);
    await joined(right, 'right', fleet);
    const file = await membershipOf(left);
    expect((await stat(file ?? '')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file ?? '', 'utf8'))).toEqual({
      format: 1,
      servers: [nats.url],
      fleet,
      node: 'left',
      login: { kind: 'none' },
    });
    await ok(left, 'down');
    await until(async () => (await reportOf(right))?.nodes.length === 1);
    expect((await onStage(left, ['fleet', 'status'])).stdout).toBe(
      `No daemon is running for this config. It joins the fleet "${fleet}" as "left" when "mcpx up" starts it.\n`,
    );
    await ok(left, 'up');
    await seen(right, 'left', 'files', { state: 'running', tools: 8 });
  });

  test('a singleton runs on one node, and on the other when that leaves', async () => {
    const fleet = newFleet();
    const clock: ServerEntry = { name: 'clock', server: 'echo', fields: { fleet: { placement: 'singleton' } } };
    await using left = await machine([clock]);
    await using right = await machine([clock]);
    await joined(left, 'left', fleet);
    await seen(left, 'left', 'clock', { state: 'running' });
    await joined(right, 'right', fleet);
    await until(async () => (await reportOf(right))?.singletons[0]?.holder === 'left');
    await seen(right, 'left', 'clock', { tools: 8 });

    const pid = (await ok(right, 'call', 'clock.pid')).stdout;
    expect((await ok(left, 'call', 'clock.pid')).stdout).toBe(pid);
    expect((await ok(right, 'status')).stdout).toMatch(/^clock +○ elsewhere/m);
    const refused = await onStage(right, ['start', 'clock']);
    expect(refused.stderr).toContain('The fleet runs "clock" once, on another node.');

    await ok(left, 'fleet', 'leave');
    await until(async () => (await reportOf(right))?.singletons[0]?.holder === 'right');
    await seen(right, 'right', 'clock', { state: 'running' });
    expect((await ok(right, 'call', 'clock.pid')).stdout).not.toBe(pid);
  });

  test('the fleet follows servers that are added, placed differently and removed', async () => {
    const fleet = newFleet();
    await using left = await machine();
    await using right = await machine([{ name: 'docs', server: 'echo' }]);
    await ok(left, 'up');
    await joined(left, 'left', fleet);
    await joined(right, 'right', fleet);
    await seen(right, 'left', 'files', { placement: 'pinned' });

    const config = join(left.folder, 'mcp_servers.yaml');
    const text = JSON.parse(await readFile(config, 'utf8')) as { mcp_servers: Record<string, object> };
    const { files = {} } = text.mcp_servers;
    const write = async (servers: Record<string, object>): Promise<void> => {
      await writeFile(config, JSON.stringify({ ...text, mcp_servers: servers }));
      await ok(left, 'daemon', 'reload');
    };
    await write({ files: { ...files, fleet: { placement: 'replicated' } }, more: files });
    await seen(right, 'left', 'files', { placement: 'replicated', source: 'files@fleet', tools: 8 });
    await seen(right, 'left', 'more', { source: 'more@left' });
    await ok(right, 'call', 'files@fleet.pid');

    await write({ files: { ...files, fleet: { placement: 'local' } } });
    await until(async () => (await reportOf(right))?.nodes.find(({ node }) => node === 'left')?.servers.length === 0);
    expect((await onStage(right, ['call', 'files@fleet.pid'])).exitCode).toBe(exitCodes.notFound);
    await ok(left, 'call', 'files.pid');
  });
});

describe('an unreachable nats-server', () => {
  test('does not affect the daemon’s servers, and the daemon joins when it comes up', async () => {
    await using other = await startNatsServer();
    await using left = await machine();
    await using right = await machine([{ name: 'docs', server: 'echo' }]);
    await other.kill();
    const refused = await onStage(left, ['fleet', 'join', other.url, '--node', 'left']);
    expect(refused.exitCode).toBe(exitCodes.failed);
    expect(refused.stderr).toMatch(/^warning: Could not connect to nats:\/\/127\.0\.0\.1:\d+/m);
    expect(refused.stderr).toContain('The daemon keeps trying. "mcpx fleet status" shows the state');
    expect(await reportOf(left)).toMatchObject({ phase: 'joining', error: { code: 'bus-down' } });
    await ok(left, 'call', 'files.echo', 'text=hello');

    expect((await onStage(left, ['call', 'files@right.pid'])).stderr).toContain('this node is still joining the fleet');

    await other.restart();
    await until(async () => (await reportOf(left))?.phase === 'joined');
    await ok(right, 'fleet', 'join', other.url, '--node', 'right');
    await seen(right, 'left', 'files', { tools: 8 });

    await other.kill();
    await until(async () => (await reportOf(left))?.isBusConnected === false);
    await ok(left, 'call', 'files.echo', 'text=hello');
    expect((await onStage(right, ['call', 'files@left.pid'])).exitCode).not.toBe(exitCodes.ok);
    await other.restart();
    await seen(right, 'left', 'files', { tools: 8, state: 'running' });
    await until(async () => (await onStage(right, ['call', 'files@left.pid'])).exitCode === exitCodes.ok);
  });
});

describe('an address that was wrong', () => {
  test('can be replaced as long as the fleet was never joined', async () => {
    await using gone = await startNatsServer();
    await gone.kill();
    await using stage = await machine();
    expect((await onStage(stage, ['fleet', 'join', gone.url, '--node', 'a'])).exitCode).toBe(exitCodes.failed);
    const fleet = newFleet();
    await joined(stage, 'a', fleet);
    expect(await reportOf(stage)).toMatchObject({ fleet, phase: 'joined', servers: [nats.url] });
    expect(await readFile((await membershipOf(stage)) ?? '', 'utf8')).not.toContain(gone.url);
  });
});

test('the JetStream domain of a fleet is stored with the membership', async () => {
  await using hub = await startNatsServer({ domain: 'hub' });
  await using stage = await machine();
  const join = ['fleet', 'join', hub.url, '--node', 'a'];
  const { exitCode, stderr } = await onStage(stage, [...join, '--domain', 'nowhere']);
  expect([exitCode, stderr]).toEqual([exitCodes.failed, expect.stringContaining('JetStream')]);
  await ok(stage, ...join, '--domain', 'hub', '--replicas', '1');
  expect(JSON.parse(await readFile((await membershipOf(stage)) ?? '', 'utf8'))).toMatchObject({ domain: 'hub' });
  await ok(stage, 'down');
  await ok(stage, 'up');
  await until(async () => (await reportOf(stage))?.phase === 'joined');
});

/** Options of `mcpx serve`: without any it attaches to the daemon. */
const servingWays = [{ options: [] }, { options: ['--own-servers'] }];

describe('a gateway on any node', () => {
  test.each(servingWays)(
    'serves the tools of all, and notifies its client when another node has new ones: $options',
    async ({ options }) => {
      const fleet = newFleet();
      await using owner = await machine([{ name: 'growing', server: 'changes-tools' }]);
      await using edge = await machine([{ name: 'docs', server: 'echo' }]);
      await ok(owner, 'up');
      await joined(owner, 'owner', fleet);
      await joined(edge, 'edge', fleet);
      await seen(edge, 'owner', 'growing', { state: 'running' });

      await using connection = await serveOn(edge, options);
      const { client, changes } = connection;
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      // With a digest, for the name of its source had to be changed.
      const nameOf = async (tool: string) =>
        (await names()).find((name) => new RegExp(`^mcp__growing_owner__${tool}_[0-9][0-9a-z]{12}$`).test(name));
      expect(await names()).toContain('mcp__docs__echo');
      const grow = await until(() => nameOf('grow'));
      const before = changes();
      await ok(owner, 'call', 'growing.grow');
      await until(async () => changes() > before && (await nameOf('grown_1')) !== undefined);
      const answer = await client.callTool({
        name: (await nameOf('echo')) ?? '',
        arguments: { text: 'over two nodes' },
      });
      expect(answer.content).toEqual([{ type: 'text', text: 'over two nodes' }]);

      await ok(owner, 'down');
      await until(async () => !(await names()).includes(grow));
      expect(await names()).toContain('mcp__docs__echo');
    },
  );
});

describe('a server request of another node during a call', () => {
  test.each(servingWays)(
    'is handled by the client of the gateway, and is cancelled by a command without a terminal: $options',
    async ({ options }) => {
      const fleet = newFleet();
      await using owner = await machine([{ name: 'asking', server: 'asks-host' }]);
      await using edge = await machine([{ name: 'docs', server: 'echo' }]);
      await joined(owner, 'owner', fleet);
      await joined(edge, 'edge', fleet);
      await ok(owner, 'start', 'asking');
      await seen(edge, 'owner', 'asking', { state: 'running' });

      await using connection = await serveOn(edge, options);
      const { client } = connection;
      const questions: unknown[] = [];
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        questions.push(params.message);
        return { action: 'accept', content: { name: 'Ada' } };
      });
      const ask = await until(async () =>
        (await client.listTools()).tools.find(({ name }) => /^mcp__asking_owner__ask_/.test(name)),
      );
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      const question = { method: 'elicitation/create', params: { message: 'Who is it?', requestedSchema } };
      const { content } = await client.callTool({ name: ask.name, arguments: question });
      expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toEqual({
        result: { action: 'accept', content: { name: 'Ada' } },
      });
      expect(questions).toEqual(['Who is it?']);

      const { stdout } = await ok(edge, 'call', 'asking@owner.ask', JSON.stringify(question));
      // A question within a quarter of a second after the client's last call may be about that call, which is over.
      expect(stdout).toMatch(/"action":\s*"cancel"|This node does not answer/);
      expect(questions).toEqual(['Who is it?']);
    },
  );
});

describe('a rejected node reports why, keeps its servers, and stores no membership', () => {
  test('when its name is taken', async () => {
    const fleet = newFleet();
    await using first = await machine();
    await using second = await machine();
    await joined(first, 'build-1', fleet);
    const refused = await onStage(second, ['fleet', 'join', nats.url, '--node', 'build-1', '--fleet', fleet]);
    expect(refused.exitCode).toBe(exitCodes.failed);
    expect(refused.stderr).toContain('The node name "build-1" is taken by another process that is alive');
    expect(refused.stderr).toContain('Give this node a name of its own with --node');
    expect([await membershipOf(second), await reportOf(second)]).toEqual([undefined, undefined]);
    await joined(second, 'build-2', fleet);
  });

  test('when it belongs to another fleet; the same once more is no mistake', async () => {
    await using one = await machine();
    const fleet = newFleet();
    await joined(one, 'build-1', fleet);
    const again = await ok(one, 'fleet', 'join', nats.url, '--node', 'build-1', '--fleet', fleet, '--json');
    expect(faultsOf('fleet join', JSON.parse(again.stdout)), again.stdout).toEqual([]);
    const refused = await onStage(one, ['fleet', 'join', nats.url, '--node', 'build-1', '--fleet', 'other', '--json']);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'in-another-fleet' } });
  });

  test('when its password is wrong; it joins with the output of "fleet permissions"', async () => {
    const made = await runMcpx(['fleet', 'permissions', '--node', 'a', '--node', 'b', '--json']);
    const { config, nodes } = JSON.parse(made.stdout) as {
      config: string;
      nodes: { node: string; password: string }[];
    };
    await using guarded = await startNatsServer({ config });
    await using one = await machine();
    const file = join(one.folder, 'password');
    const tried = () =>
      onStage(one, ['fleet', 'join', guarded.url, '--node', 'a', '--user', 'a', '--password-file', 'password']);
    await writeFile(file, 'wrong\n', { mode: 0o600 });
    const refused = await tried();
    expect(refused.exitCode).toBe(exitCodes.failed);
    expect(refused.stderr).toContain('The NATS server does not let this node in');
    expect(await membershipOf(one)).toBeUndefined();

    await writeFile(file, `${nodes[0]?.password}\n`);
    expect((await tried()).exitCode).toBe(exitCodes.ok);
    expect(await readFile((await membershipOf(one)) ?? '', 'utf8')).not.toContain(nodes[0]?.password);
  });

  test('when others may read its password', async () => {
    await using one = await machine();
    await writeFile(join(one.folder, 'password'), 'secret\n', { mode: 0o644 });
    const login = ['--user', 'a', '--password-file', 'password'];
    const refused = await onStage(one, ['fleet', 'join', nats.url, '--node', 'a', ...login]);
    expect(refused.stderr).toMatch(/can be read or changed by other users \(mode 644\)\.\nRun: chmod 600 /);
    expect(refused.stderr).not.toContain('secret');
  });

  test('when the server has no JetStream', async () => {
    await using plain = await startNatsServer({ jetstream: false });
    await using one = await machine();
    const refused = await onStage(one, ['fleet', 'join', plain.url, '--node', 'a']);
    expect(refused.exitCode).toBe(exitCodes.failed);
    expect(refused.stderr).toContain('Start nats-server with --jetstream');
    expect(await membershipOf(one)).toBeUndefined();
  });
});

/** `mcpx serve` with the daemon of a stage, and the official client in front of it. */
async function serveOn(stage: DaemonStage, options: readonly string[]) {
  const data = join(stage.folder, 'data');
  await mkdir(data);
  await symlink(join(stage.folder, 'state'), join(data, 'mcpx'));
  const client = new Client({ name: 'official', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  let changes = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    changes += 1;
  });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [mcpx, 'serve', ...options],
      cwd: stage.folder,
      env: { ...(stage.io.env as Record<string, string>), XDG_DATA_HOME: data },
      stderr: 'ignore',
    }),
  );
  return { client, changes: () => changes, [Symbol.asyncDispose]: () => client.close() };
}

function roles(role: string, tool: string): string {
  return `tools: { app: { mcp_tools: {}, role_restrictions: { ${role}: { allowed_tools: ['${tool}'] } } } }\n`;
}
