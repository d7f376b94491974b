import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { DaemonControl } from '../../src/control/control.js';
import { ensureDaemon } from '../../src/daemon/ensure-daemon.js';
import { findDaemon } from '../../src/daemon/find-daemon.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { serversFile } from '../helpers/project.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const servers = ['killed', 'exchanged', 'slow'] as const;

function configOf(stage: DaemonStage, round: number): string {
  const env = { MCPX_TEST: stage.mark };
  return serversFile([
    { name: 'killed', server: 'leaves-grandchild', fields: { env } },
    { name: 'exchanged', server: 'echo', fields: { env: { ...env, TOKEN: `secret-of-round-${round}` } } },
    { name: 'slow', server: 'slow', fields: { env } },
  ]);
}

/** The events of a minute of a daemon, in a second. */
async function troubleFor(stage: DaemonStage, control: DaemonControl, round: number): Promise<void> {
  const { servers: rows } = await control.status();
  process.kill(rows.find(({ name }) => name === 'killed')?.pid as number, 'SIGKILL');
  await writeFile(join(stage.folder, 'mcp_servers.yaml'), configOf(stage, round));
  await control.reload({ trust: true });
  const end = new AbortController();
  const onProgress = (): void => end.abort(); // it is given up as soon as it is under way
  await control
    .call({ tool: 'mcp__slow__wait', args: { ms: 60_000, steps: 600 }, signal: end.signal, onProgress })
    .catch(() => undefined);
  // A reader of logs that leaves, and a command that is killed while it asks for something.
  for await (const _line of control.logs({ server: 'killed', follow: false }));
  const killed = await findDaemon({}, stage.io);
  const lost = killed?.call({ tool: 'mcp__slow__wait', args: { ms: 60_000 } }).catch(() => undefined);
  await killed?.[Symbol.asyncDispose]();
  await lost;
  await writeFile(join(stage.folder, 'mcp_servers.yaml'), 'mcp_servers: 7\n');
  await expect(control.reload()).rejects.toMatchObject({ code: 'invalid-config' });
  await control.restart({ servers: [...servers] });
}

/** Open files of a process, and processes that it has started. */
async function heldBy(pid: number): Promise<{ readonly files: number; readonly children: number }> {
  const files = (await readdir(`/proc/${pid}/fd`)).length;
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).length;
  return { files, children };
}

test.runIf(process.platform === 'linux')(
  'a daemon leaks no files and processes after many faults',
  { timeout: 60_000 },
  async () => {
    await using stage = await daemonStage();
    await writeFile(join(stage.folder, 'mcp_servers.yaml'), configOf(stage, 0));
    await using control = await ensureDaemon({}, stage.io);
    await control.start({ servers: [...servers] });
    const { pid = 0, workerPid = 0 } = (await control.daemonInfo()) ?? {};
    const held = async () => JSON.stringify([await heldBy(pid), await heldBy(workerPid)]);
    for (let round = 1; round <= 2; round += 1) await troubleFor(stage, control, round); // what is opened once and kept
    const warm = await settled(held);
    for (let round = 3; round <= 5; round += 1) await troubleFor(stage, control, round);
    await until(async () => (await held()) === warm);
    expect(await stage.processes()).toHaveLength(2 + servers.length + 1); // and the grandchild
  },
);

/** What is the same ten times over. */
async function settled(look: () => Promise<string>): Promise<string> {
  let last = '';
  let same = 0;
  await until(async () => {
    const present = await look();
    same = present === last ? same + 1 : 0;
    last = present;
    return same >= 10;
  });
  return last;
}
