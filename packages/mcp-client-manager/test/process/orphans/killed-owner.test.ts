import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findLeaks, type TestServerCommand, testServer } from '@x/test-servers';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { findOrphanedProcesses } from '../../../src/process/orphans/reap.js';
import type { ProcessOwnerOptions } from '../../../src/process/process-owner.js';
import { processHost, startProcess, temporaryDirectory } from '../../helpers/processes.js';

/** A process that has to go is mostly gone within milliseconds; on a busy machine it may have to wait for its turn. */
const soon = { timeout: 20_000, interval: 50 };

const stubborn = testServer('ignores-sigterm');
const withGrandchild = testServer('leaves-grandchild', '--stubborn');

interface Host {
  readonly pid: number;
  /** The processes of its servers. */
  readonly servers: readonly number[];
  kill(): Promise<void>;
  stop(): void;
  processes(): Promise<readonly number[]>;
  guardian(): Promise<number | undefined>;
}

/** A host in a process of its own, once its servers are up. */
async function hostOf(
  servers: readonly TestServerCommand[],
  options: Partial<ProcessOwnerOptions> = {},
): Promise<Host> {
  const program = join(inject('programsFolder'), 'process-owner.js');
  const args = [program, JSON.stringify(options), JSON.stringify(servers)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const pid = child.pid as number;
  const pidsOf = async (marker: string) => (await findLeaks(marker)).map((leak) => leak.pid);
  const host = {
    pid,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: () => child.kill('SIGSTOP'),
    processes: () => pidsOf(`MCP_CLIENT_MANAGER_OWNER=${pid}-`),
    guardian: async () => (await pidsOf(`MCP_CLIENT_MANAGER_GUARDIAN=${pid}`))[0],
  };
  onTestFinished(async () => {
    await host.kill();
    for (const left of await host.processes()) process.kill(left, 'SIGKILL');
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`The host ended with code ${code} before its servers were up`))),
  ]);
  return { ...host, servers: JSON.parse(line) };
}

/** Kills host and guardian so that neither sees the other go. */
async function killBoth(host: Host): Promise<void> {
  host.stop();
  process.kill((await host.guardian()) as number, 'SIGKILL');
  await host.kill();
}

describe.skipIf(process.platform !== 'linux')('when a host is killed', () => {
  test('twenty servers that ignore everything are gone with all they started', async () => {
    const servers = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? stubborn : withGrandchild));
    const host = await hostOf(servers);
    expect(await host.processes()).toHaveLength(30);
    await host.kill();
    await expect.poll(host.processes, soon).toEqual([]);
    await expect.poll(host.guardian, soon).toBeUndefined();
  });

  test('a guardian that was killed before has a successor that knows of everything', async () => {
    const host = await hostOf([stubborn, withGrandchild]);
    const first = (await host.guardian()) as number;
    process.kill(first, 'SIGKILL');
    await expect.poll(host.guardian, soon).not.toBe(first);
    await expect.poll(host.guardian, soon).toBeDefined();
    await host.kill();
    await expect.poll(host.processes, soon).toEqual([]);
  });

  test('together with its guardian, the next owner ends exactly the processes it left, with grandchildren', async () => {
    const stateDirectory = await temporaryDirectory();
    const [dead, alive, unjournaled] = [
      await hostOf([stubborn, withGrandchild], { stateDirectory }),
      await hostOf([stubborn], { stateDirectory }),
      await hostOf([stubborn]),
    ];
    await killBoth(dead);
    await killBoth(unjournaled);
    // The one that left a grandchild behind has left itself when its stdin ended.
    await expect.poll(dead.processes, soon).toHaveLength(2);
    const next = processHost({ stateDirectory });
    await startProcess(next, process.execPath, ['-e', '']);
    expect(await dead.processes()).toEqual([]);
    expect([await alive.processes(), await unjournaled.processes()]).toEqual([alive.servers, unjournaled.servers]);
    expect(await journals(stateDirectory)).not.toContainEqual(expect.stringContaining(`${dead.pid}-`));
  });

  test('its leftovers are listed without being ended, those of a live owner are not', async () => {
    const stateDirectory = await temporaryDirectory();
    const dead = await hostOf([stubborn, stubborn], { stateDirectory });
    await hostOf([stubborn], { stateDirectory });
    expect(await findOrphanedProcesses(stateDirectory)).toEqual([]);
    await killBoth(dead);
    const orphans = await findOrphanedProcesses(stateDirectory);
    expect(orphans.map(({ pid }) => pid).toSorted()).toEqual(dead.servers.toSorted());
    expect(orphans[0]).toEqual({ pid: expect.any(Number), server: expect.any(String), hostPid: dead.pid });
    expect(await dead.processes()).toHaveLength(2);
    expect(await findOrphanedProcesses(join(stateDirectory, 'missing'))).toEqual([]);
  });

  test.each<[change: string, edit: (journal: string) => string]>([
    ['another start time', (text) => text.replaceAll(/"startTime":(\d+),"server"/g, '"startTime":1,"server"')],
    ['another owner', (text) => text.replace(/"owner":"(\d+)-........-/, '"owner":"$1-00000000-')],
    ['another boot', (text) => text.replace(/"table":"......../, '"table":"00000000')],
    ['a process group of its own choice', (text) => text.replace(/"group":\d+/, '"group":1')],
    ['a negative number', (text) => text.replace(/"pid":(\d+),"group":\d+/, '"pid":-$1,"group":-$1')],
    ['half of its text', (text) => text.slice(0, text.length / 2)],
  ])('a journal that was given %s ends nothing', async (_, edit) => {
    const stateDirectory = await temporaryDirectory();
    const host = await hostOf([stubborn], { stateDirectory });
    await killBoth(host);
    const path = join(stateDirectory, 'processes', (await journals(stateDirectory))[0] as string);
    const text = await readFile(path, 'utf8');
    expect(edit(text)).not.toBe(text);
    await writeFile(path, edit(text));
    await startProcess(processHost({ stateDirectory, onProblem: () => undefined }), process.execPath, ['-e', '']);
    expect(await host.processes()).toEqual(host.servers);
  });
});

function journals(stateDirectory: string): Promise<string[]> {
  return readdir(join(stateDirectory, 'processes'));
}
