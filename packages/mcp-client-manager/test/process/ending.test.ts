import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ManagerError } from '../../src/errors.js';
import { StuckProcesses } from '../../src/process/process-owner.js';
import { processHost, startProcess, temporaryDirectory } from '../helpers/processes.js';
import { failureOf, isRunning, managerOf, managerWith, serverSpec, stateOf } from '../helpers/servers.js';

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

test('an aborted start spawns nothing and waits for nothing', async () => {
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

test.each(['close', 'stop'] as const)('after %s of a manager nothing is spawned, with any priority', async (how) => {
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
});

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
      'Server "files" cannot start: its process 42 could not be ended. Start the server again after that process has ended; it usually waits for a disk or a network file system.',
      { server: 'files' },
    ),
  );
  isAlive = false;
  await stuck.requireGone('files');
  await stuck.requireGone('files');
  expect(told).toEqual(['released', 'gone']);
});

test.skipIf(process.platform === 'win32')(
  'a server that outlives SIGKILL is not started again beside itself, also not under a new entry of its name',
  { timeout: 60_000 },
  async () => {
    await using manager = managerOf(serverSpec('ignores-sigterm'), serverSpec('echo'));
    await manager.server('ignores-sigterm').start();
    const pid = manager.server('ignores-sigterm').status.pid as number;
    // As a kernel does with a process that waits for a disk: the signal is taken, and nothing comes of it.
    const { kill } = process;
    const kernel = vi.spyOn(process, 'kill').mockImplementation((to, signal) => {
      return signal === 'SIGKILL' && to === -pid ? true : kill.call(process, to, signal);
    });
    onTestFinished(() => kernel.mockRestore());
    const stopFailed = {
      code: 'stop-failed',
      message: expect.stringContaining(
        `Server "ignores-sigterm" cannot be stopped: its process ${pid} still runs after SIGKILL.`,
      ),
    };
    expect(await failureOf(manager.server('ignores-sigterm').stop())).toMatchObject(stopFailed);
    const refused = { code: 'start-failed', retryable: false, cause: { code: 'stop-failed' } };
    expect(await failureOf(manager.server('ignores-sigterm').start())).toMatchObject(refused);
    await manager.apply({ servers: [serverSpec('echo')] });
    await manager.apply({ servers: [serverSpec('ignores-sigterm'), serverSpec('echo')] });
    expect(await failureOf(manager.server('ignores-sigterm').start())).toMatchObject(refused);
    await manager.server('echo').start(); // others are not concerned
    kernel.mockRestore();
    process.kill(-pid, 'SIGKILL');
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
    await manager.server('ignores-sigterm').start();
    expect(manager.server('ignores-sigterm').status.pid).not.toBe(pid);
  },
);

test('a removed server flushes its log, and the next server of that name starts a new one', async () => {
  const logDirectory = join(await temporaryDirectory(), 'logs');
  const problems: string[] = [];
  const host = processHost({ logDirectory, onProblem: (message) => problems.push(message) });
  const run = async (): Promise<void> => {
    const script = 'process.stderr.write("last words\\n")';
    const started = await startProcess(host, process.execPath, ['-e', script]);
    await started.exited;
    await started.drained;
    await host.forget('server');
  };
  await run();
  await host.forget('another');
  const log = join(logDirectory, 'server.log');
  expect(readFileSync(log, 'utf8')).toMatch(/^\S+ last words\n$/);
  rmSync(logDirectory, { recursive: true });
  writeFileSync(logDirectory, 'in the way');
  await run();
  await run();
  expect(problems).toHaveLength(2); // one log reports it once
});
