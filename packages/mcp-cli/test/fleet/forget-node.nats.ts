import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import type { DaemonStage } from '../helpers/daemon-stage.js';
import { lose, machine, membershipOf, newFleet, ok, reportOf, seen } from '../helpers/fleet-machines.js';
import { faultsOf } from '../helpers/output-schema.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const nodes = (stage: DaemonStage) => reportOf(stage).then((report) => report?.nodes.map(({ node }) => node));

describe('mcpx fleet forget', () => {
  let nats: NatsServer;
  let password: string;
  const fleet = newFleet();
  beforeAll(async () => {
    const made = await runMcpx([
      'fleet',
      'permissions',
      '--node',
      'a',
      '--node',
      'b',
      '--fleet',
      fleet,
      '--administrator',
      '--json',
    ]);
    const { config, nodes: logins, administrator } = JSON.parse(made.stdout) as Permissions;
    passwords = Object.fromEntries(logins.map((login) => [login.user, login.password]));
    password = administrator.password;
    nats = await startNatsServer({ config });
  });
  afterAll(() => nats.stop());
  let passwords: Record<string, string>;

  async function joined(stage: DaemonStage, node: string): Promise<void> {
    await writeFile(join(stage.folder, 'password'), `${passwords[node]}\n`, { mode: 0o600 });
    await ok(
      stage,
      'fleet',
      'join',
      nats.url,
      '--fleet',
      fleet,
      '--node',
      node,
      '--user',
      node,
      '--password-file',
      'password',
    );
  }

  test('removes the records of a lost node with an administrator’s login only', async () => {
    await using a = await machine();
    await using b = await machine([{ name: 'docs', server: 'echo' }]);
    await ok(a, 'up');
    await joined(a, 'a');
    await joined(b, 'b');
    await seen(b, 'a', 'files', { tools: 8 });
    await writeFile(join(b.folder, 'administrator'), password, { mode: 0o600 });
    const login = ['--user', 'administrator', '--password-file', 'administrator'];

    const alive = await onStage(b, ['fleet', 'forget', 'a', '--yes', ...login]);
    expect(alive.exitCode).toBe(exitCodes.failed);
    expect(alive.stderr).toMatch(
      /The node "a" is alive: it was heard of at \d{4}-.*Z.*\nRun "mcpx fleet leave" on that node instead\./,
    );
    const itself = await onStage(b, ['fleet', 'forget', 'b', '--yes', ...login]);
    expect(itself.stderr).toContain('"b" is this node itself.\nRun "mcpx fleet leave" to have it leave.');
    expect(itself.exitCode).toBe(exitCodes.usage);

    await lose(a);
    await until(async () => (await reportOf(b))?.nodes[1]?.state === 'unreachable');
    const refused = await onStage(b, ['fleet', 'forget', 'a', '--yes']);
    expect(refused.exitCode).toBe(exitCodes.failed);
    expect(refused.stderr).toContain('It takes a login that may write lease.a, server.a.> and singleton.>');
    expect(refused.stderr).toContain('"mcpx fleet permissions --administrator" makes such a login.');
    expect(await nodes(b)).toEqual(['b', 'a']);

    const forgotten = await ok(b, 'fleet', 'forget', 'a', '--yes', ...login);
    expect(forgotten.stdout).toMatch(
      /^The last heartbeat of "a" was at .*Z, by the clock of the NATS server\n {2}servers: files\nForgot the node "a" of the fleet "/,
    );
    await until(async () => (await nodes(b))?.length === 1);
    const unknown = await onStage(b, ['fleet', 'forget', 'a', '--yes', '--json', ...login]);
    expect(unknown.exitCode).toBe(exitCodes.notFound);
    expect(JSON.parse(unknown.stdout)).toMatchObject({
      error: { code: 'not-found', message: `The fleet "${fleet}" has no node named "a".` },
    });

    await ok(a, 'up'); // it comes back all the same
    await seen(b, 'a', 'files', { tools: 8 });
  });

  test('needs only a NATS URL, no daemon', async () => {
    await using a = await machine();
    await ok(a, 'up');
    await joined(a, 'a');
    await lose(a);
    await using elsewhere = await machine([]);
    await writeFile(join(elsewhere.folder, 'administrator'), password, { mode: 0o600 });
    const login = ['--user', 'administrator', '--password-file', 'administrator'];
    const { stdout, stderr } = await ok(
      elsewhere,
      'fleet',
      'forget',
      'a',
      nats.url,
      '--fleet',
      fleet,
      '--yes',
      '--json',
      ...login,
    );
    expect(faultsOf('fleet forget', JSON.parse(stdout)), stdout).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ forgotten: true, fleet, node: 'a', servers: ['files'], singletons: [] });
    expect(`${stdout}${stderr}`).not.toContain(password);
    expect(await membershipOf(elsewhere)).toBeUndefined();
    expect(await reportOf(elsewhere)).toBeUndefined();
  });
});

interface Permissions {
  readonly config: string;
  readonly nodes: readonly { readonly user: string; readonly password: string }[];
  readonly administrator: { readonly password: string };
}
