// The program that makes the logins of a fleet, and a real nats-server that takes them.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createFleet, type Fleet, type FleetBus, forgetNode, isFleetError, planForget } from '@x/mcp-fleet';
import { openNatsBus } from '@x/mcp-fleet/nats';
import { expectNoLeaks, startNatsServer, withOwner } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { certificates } from '../../../packages/mcp-fleet/test/nats/fixtures/certificates.js';
import { linesShown } from '../stage/page.js';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../nats/fleet-logins.ts');

let folder: string;
const buses: FleetBus[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-fleet-logins-'));
});
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
  await rm(folder, { recursive: true, force: true });
  await expectNoLeaks();
});

test('each login has a seed of its own, and what a node may do is what the page shows', async () => {
  await makeLogins('build-1', 'laptop-anna');
  expect((await readdir(folder)).toSorted()).toEqual([
    'accounts.conf',
    'administrator.seed',
    'build-1.seed',
    'laptop-anna.seed',
    'logins.json',
  ]);
  expect(await read('build-1.seed')).toMatch(/^SU[A-Z2-7]+$/);
  expect((await stat(join(folder, 'build-1.seed'))).mode & 0o777).toBe(0o600);
  const accounts = await read('accounts.conf');
  expect(accounts.match(/nkey: U[A-Z2-7]{55}\b/g)).toHaveLength(3);
  const shown = linesShown('docs/fleet.md', 'text', 'publish: { allow: [').filter((line) => line.includes('"'));
  expect(shown).toHaveLength(8);
  for (const line of shown) expect(accounts).toContain(line.trim());
});

test('one more node leaves the logins of all others as they were', async () => {
  await makeLogins('build-1');
  const [keys, seeds] = [await readLogins(), await Promise.all(['administrator.seed', 'build-1.seed'].map(read))];
  await makeLogins('build-2');
  expect(await readLogins()).toEqual({ ...keys, 'build-2': expect.stringMatching(/^U/) });
  expect(await Promise.all(['administrator.seed', 'build-1.seed'].map(read))).toEqual(seeds);

  const before = await read('accounts.conf');
  for (const key of Object.values(await readLogins())) expect(before).toContain(`nkey: ${key}`);
  await makeLogins('build-2');
  expect(await read('accounts.conf')).toBe(before);
});

test('a server that reads accounts.conf again takes a new node, drops one whose login is gone, and lets the administrator forget that one', async () => {
  await makeLogins('build-1');
  // What is included is looked for from the folder of the file that says so, which is another one beside this.
  const include = `include "../${basename(folder)}/accounts.conf"`;
  await using nats = await startNatsServer({ config: `pid_file: "${join(folder, 'pid')}"\n${include}` });
  const reload = async () => process.kill(Number(await read('pid')), 'SIGHUP');
  await using first = await joinAs('build-1', nats.url);
  await makeLogins('build-2');
  await expect(joinAs('build-2', nats.url)).rejects.toMatchObject({ code: 'forbidden' });

  await reload();
  await using second = await untilTaken(() => joinAs('build-2', nats.url));
  expect(first.status().phase).toBe('joined');

  const { 'build-2': _leaked, ...others } = await readLogins();
  await writeFile(join(folder, 'logins.json'), JSON.stringify(others));
  await makeLogins();
  const isDropped = new Promise((resolve) => second.events.on('bus-state', resolve));
  await reload();
  expect(await isDropped).toEqual({ isConnected: false });
  expect(first.status()).toMatchObject({ phase: 'joined', isBusConnected: true });

  // Only an administrator may remove what the node has left, and no other node.
  const left = new Promise((resolve) =>
    first.events.on('node-state', ({ node, state }) => state === 'left' && resolve(node)),
  );
  const bus = await untilTaken(() => openBus('administrator', nats.url));
  await forgetNode({ bus, plan: await planForget({ bus, node: 'build-2' }) });
  expect(await left).toBe('build-2');
});

test.each(['nats/nats-server.conf', 'kubernetes/nats-server.conf'])(
  'nats-server takes deploy/%s with these logins',
  async (file) => {
    await makeLogins('build-1');
    await mkdir(join(folder, 'accounts'));
    await copyFile(join(folder, 'accounts.conf'), join(folder, 'accounts/accounts.conf')); // a secret is a folder
    await writeFile(join(folder, 'tls.crt'), certificates.serverCert);
    await writeFile(join(folder, 'tls.key'), certificates.serverKey, { mode: 0o600 });
    const text = await readFile(join(import.meta.dirname, '../../../deploy', file), 'utf8');
    const config = join(folder, 'nats-server.conf');
    await writeFile(
      config,
      text
        .replaceAll(/\/etc\/nats(-tls)?\//g, `${folder}/`)
        .replaceAll(/"(\/var\/lib\/nats|\/data)"/g, `"${folder}/store"`),
    );
    const { stderr } = await run(process.env.NATS_SERVER ?? 'nats-server', ['-t', '-c', config], {
      env: withOwner({ ...process.env, POD_NAME: 'nats-0' }),
    });
    expect(stderr).toContain('configuration file');
    expect(stderr).toContain('is valid');
  },
);

async function makeLogins(...nodes: readonly string[]): Promise<void> {
  await run(process.execPath, ['--import', import.meta.resolve('tsx'), program, ...nodes], {
    cwd: folder,
    env: withOwner(),
  });
}

async function read(name: string): Promise<string> {
  return readFile(join(folder, name), 'utf8');
}

async function readLogins(): Promise<Readonly<Record<string, string>>> {
  return JSON.parse(await read('logins.json'));
}

/** A node with the login that was made for it, once it has joined. */
async function joinAs(node: string, servers: string): Promise<Fleet> {
  const fleet = createFleet({ bus: await openBus(node, servers), node, heartbeatMs: 500 });
  await fleet.whenJoined();
  return fleet;
}

async function openBus(name: string, servers: string): Promise<FleetBus> {
  const bus = await openNatsBus({ servers, fleet: 'team', node: name, nkeySeed: await read(`${name}.seed`) });
  buses.push(bus);
  return bus;
}

/** A server that reads its configuration again refuses a login for a moment, or closes its connection. */
async function untilTaken<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isFleetError(error) || !['forbidden', 'bus-down'].includes(error.code)) throw error;
    }
  }
}
