import { chmod, chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HostServer, readOwnership, syncHosts } from '../../src/index.js';
import { syncElsewhere } from '../helpers/run-program.js';
import {
  type TemporaryMachine,
  type TemporaryMachineOptions,
  temporaryMachine,
  textOf,
} from '../helpers/temporary-machine.js';

const server: HostServer = { name: 'ours', transport: 'stdio', command: 'uvx', args: ['files-mcp'] };
const theirs = '{\n  // kept\n  "mcpServers": {\n    "theirs": { "command": "x" }\n  }\n}\n';

/** Each starts a dozen processes, which takes a while on a busy machine. */
const patient = { timeout: 180_000 };

describe('a process that is killed at any step', patient, () => {
  test('of an addition leaves the old or the new file, and the next run completes the work', async () => {
    await killedAtEveryStep({ start: [], next: [server] });
  });

  test('of a change, too', async () => {
    await killedAtEveryStep({ start: [server], next: [{ ...server, args: ['other'] }] });
  });

  test('of a removal, too', async () => {
    await killedAtEveryStep({ start: [server], next: [] });
  });

  test('of the creation of a file, too', async () => {
    await killedAtEveryStep({ start: [], next: [server], text: undefined });
  });

  test('of the deletion of a file, too', async () => {
    await killedAtEveryStep({ start: [server], next: [], text: undefined });
  });
});

interface Story {
  readonly start: readonly HostServer[];
  readonly next: readonly HostServer[];
  readonly text?: string | undefined;
}

async function killedAtEveryStep({ start, next, ...story }: Story): Promise<void> {
  const text = 'text' in story ? story.text : theirs;
  const whole = await prepared(text, start);
  const before = await fileOf(whole);
  const { steps = 0 } = await syncElsewhere(orderFor(whole, next));
  const after = await fileOf(whole);
  expect(steps).toBeGreaterThanOrEqual(8);
  expect(after).not.toBe(before);

  const outcomes = await inPairs(
    Array.from({ length: steps }, (_, index) => index + 1),
    async (dieAt) => {
      const machine = await prepared(text, start);
      const report = await syncElsewhere({ ...orderFor(machine, next), dieAt });
      expect(report).toEqual({ signal: process.platform === 'win32' ? null : 'SIGKILL' });
      const found = await fileOf(machine);

      await syncHosts(next, optionsFor(machine));
      expect(await fileOf(machine)).toBe(after);
      expect(await leftovers(machine)).toEqual([]);

      await syncHosts([], optionsFor(machine));
      expect(await fileOf(machine)).toBe(text);
      expect(await readOwnership(machine)).toEqual({ files: [] });
      return found === before ? 'old' : found === after ? 'new' : found;
    },
  );
  expect(new Set(outcomes)).toEqual(new Set(['old', 'new']));
}

describe('two processes that sync at the same time', () => {
  test('lose nothing of each other', async () => {
    const machine = await prepared(theirs, []);
    const owners = ['a', 'b', 'c', 'd'];
    const reports = await Promise.all(
      owners.map((owner) =>
        syncElsewhere({
          ...orderFor(machine, [{ ...server, name: `server-${owner}` }]),
          owner,
          hosts: ['cursor-user', 'junie-user'],
        }),
      ),
    );
    expect(reports.map(({ code }) => code)).toEqual([undefined, undefined, undefined, undefined]);
    const names = owners.map((owner) => `server-${owner}`);
    const cursor = await fileOf(machine);
    for (const name of ['theirs', ...names]) expect(cursor).toContain(`"${name}"`);
    const junie = JSON.parse(await textOf(join(machine.home, '.junie/mcp/mcp.json')));
    expect(Object.keys(junie.mcpServers).toSorted()).toEqual(names);

    for (const owner of owners)
      await syncHosts([], { ...optionsFor(machine), owner, hosts: ['cursor-user', 'junie-user'] });
    expect(await fileOf(machine)).toBe(theirs);
    expect(await leftovers(machine)).toEqual([]);
  });

  test('wait for each other even with separate records', async () => {
    const machine = await prepared(theirs, []);
    const reports = await Promise.all(
      ['a', 'b', 'c'].map((owner) =>
        syncElsewhere({
          ...orderFor(machine, [{ ...server, name: `server-${owner}` }]),
          stateDirectory: join(machine.stateDirectory, owner),
        }),
      ),
    );
    expect(reports.map(({ code }) => code)).toEqual([undefined, undefined, undefined]);
    const text = await fileOf(machine);
    for (const owner of ['a', 'b', 'c']) expect(text).toContain(`"server-${owner}"`);
  });
});

describe('a failed write is a clear error and leaves the file unchanged', () => {
  test('a size limit of the system', async () => {
    const machine = await prepared(theirs.replace('kept', 'x'.repeat(3_000)), []);
    const before = await fileOf(machine);
    // Two blocks of 512 bytes: the record fits, the file does not.
    const report = await syncElsewhere({ ...orderFor(machine, [server]) }, { shell: 'ulimit -f 2;' });
    expect(report).toMatchObject({ code: 'no-space', signal: null });
    expect(report.message).toContain('a quota or size limit is reached (EFBIG). The file is unchanged');
    expect(await fileOf(machine)).toBe(before);
    expect(await leftovers(machine)).toEqual([]);
  });

  test('a read-only file, even for root', async () => {
    const machine = await prepared(theirs, []);
    await chmod(join(machine.home, '.cursor/mcp.json'), 0o444);
    const { plan } = await syncHosts([server], optionsFor(machine));
    expect(plan.issues[0]?.message).toContain('is read-only. Make it writable');
    expect(await fileOf(machine)).toBe(theirs);
  });

  test('a directory that is not writable', async () => {
    const machine = await unprivileged();
    await chmod(join(machine.home, '.cursor'), 0o555);
    const report = await syncElsewhere({ ...orderFor(machine, [server]), ...machine.identity });
    expect(report).toMatchObject({ code: 'read-only' });
    expect(report.message).toContain(
      'cannot be written: the directory is not writable (EACCES). The file is unchanged',
    );
    expect(await fileOf(machine)).toBe(theirs);
    expect(await leftovers(machine)).toEqual([]);
  });

  test('a state directory that is not writable', async () => {
    const machine = await unprivileged();
    await chmod(machine.stateDirectory, 0o555);
    const report = await syncElsewhere({ ...orderFor(machine, [server]), ...machine.identity });
    expect(report).toMatchObject({ code: 'read-only' });
    expect(await fileOf(machine)).toBe(theirs);
  });

  test('a file that is not readable', async () => {
    const machine = await unprivileged();
    await chmod(join(machine.home, '.cursor'), 0o000);
    const report = await syncElsewhere({ ...orderFor(machine, [server]), ...machine.identity });
    expect(report).toEqual({ steps: 0, signal: null });
    await chmod(join(machine.home, '.cursor'), 0o755);
    expect(await fileOf(machine)).toBe(theirs);
  });
});

function orderFor({ home, stateDirectory }: TemporaryMachine, servers: readonly HostServer[]) {
  return { home, stateDirectory, servers, hosts: ['cursor-user'] };
}

function optionsFor({ stateDirectory, place }: TemporaryMachine) {
  return { stateDirectory, place, hosts: ['cursor-user'] };
}

async function prepared(
  text: string | undefined,
  servers: readonly HostServer[],
  options: TemporaryMachineOptions = {},
): Promise<TemporaryMachine> {
  const machine = await temporaryMachine(options);
  await mkdir(machine.stateDirectory, { mode: 0o700 });
  if (text !== undefined) await machine.file('home/.cursor/mcp.json', text);
  await syncHosts(servers, optionsFor(machine));
  return machine;
}

/** Root may do anything, so these tests run as another user. */
async function unprivileged() {
  const machine = await prepared(theirs, [], { for: 'everybody' });
  const identity = process.getuid?.() === 0 ? { as: { uid: 65_534, gid: 65_534 } } : {};
  if (identity.as !== undefined) {
    const paths = [
      machine.root,
      machine.stateDirectory,
      machine.home,
      join(machine.home, '.cursor'),
      join(machine.home, '.cursor/mcp.json'),
    ];
    for (const path of paths) await chown(path, identity.as.uid, identity.as.gid);
  }
  onTestFinished(async () => {
    for (const path of [machine.stateDirectory, join(machine.home, '.cursor')]) await chmod(path, 0o755);
  });
  return { ...machine, identity };
}

async function fileOf({ home }: TemporaryMachine): Promise<string | undefined> {
  return readFile(join(home, '.cursor/mcp.json'), 'utf8').catch(() => undefined);
}

async function leftovers({ root }: TemporaryMachine): Promise<readonly string[]> {
  const names = await readdir(root, { recursive: true });
  return names.filter((name) => /mcpx-tmp|\.lock/.test(name));
}

/** Two at a time. */
async function inPairs<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < items.length; index += 2) {
    results.push(...(await Promise.all(items.slice(index, index + 2).map(work))));
  }
  return results;
}
