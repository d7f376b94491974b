import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { ManagerError } from '../../src/errors.js';
import { StuckProcesses } from '../../src/process/stuck-processes.js';
import { processHost, startProcess, temporaryDirectory } from '../helpers/processes.js';
import { failureOf, managerWith, stateOf } from '../helpers/servers.js';

beforeEach(() => onTestFinished(expectNoLeaks));

/** A login shell that takes its time, and a server that leaves a file when it is run. */
async function slowShell() {
  const directory = await temporaryDirectory();
  const shell = join(directory, 'shell');
  writeFileSync(shell, '#!/bin/sh\nexec sleep 30\n');
  chmodSync(shell, 0o755);
  const mark = join(directory, 'ran');
  const spec = { command: process.execPath, args: ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`] };
  const options = { commandPath: 'login-shell', environment: { ...process.env, SHELL: shell } } as const;
  return { spec, options, hasRun: () => existsSync(mark) };
}

test('what was given up before it was spawned is not spawned, and nobody waits for what came before', async () => {
  const { spec, options, hasRun } = await slowShell();
  const end = new AbortController();
  const started = failureOf(startProcess(processHost(options), spec.command, spec.args, { signal: end.signal }));
  const reason = new Error('enough');
  end.abort(reason);
  expect(await started).toBe(reason);
  expect(hasRun()).toBe(false);
});

test('a host that has ended starts nothing', async () => {
  const host = processHost();
  const started = failureOf(startProcess(host, process.execPath, []));
  host.end();
  expect(await started).toMatchObject({ code: 'closed' });
});

test.each(['close', 'stop'] as const)(
  'after %s of a manager nothing is spawned, whatever its priority',
  async (how) => {
    const { spec, options, hasRun } = await slowShell();
    const servers = [1, 2].map((priority) => ({ name: `server ${priority}`, ...spec, priority }));
    await using manager = managerWith(options, ...servers);
    const starts = manager.servers().map((server) => failureOf(server.start()));
    await stateOf(manager, 'server 2', 'starting');
    await manager[how]();
    expect(await Promise.all(starts)).toEqual([
      expect.objectContaining({ code: how === 'close' ? 'closed' : 'server-stopping' }),
      expect.objectContaining({ code: how === 'close' ? 'closed' : 'server-stopping' }),
    ]);
    expect(hasRun()).toBe(false);
  },
);

test('nothing starts beside a process of the same server that could not be ended', async () => {
  let isAlive = true;
  const told: string[] = [];
  const processes = { isAlive: async () => isAlive, release: () => void told.push('released') };
  const stuck = new StuckProcesses();
  stuck.add('files', { pid: 42, processes, gone: async () => void told.push('gone') });
  await stuck.requireGone('other');
  expect(await failureOf(stuck.requireGone('files'))).toEqual(
    new ManagerError(
      'stop-failed',
      'Server "files" cannot start: its process 42 from before could not be ended, and two of one server must not run. Start it again when that process is gone; mostly it waits for a disk or a network file system.',
      { server: 'files' },
    ),
  );
  isAlive = false;
  await stuck.requireGone('files');
  await stuck.requireGone('files');
  expect(told).toEqual(['released', 'gone']);
});
