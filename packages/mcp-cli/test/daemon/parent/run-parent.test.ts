import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks, withOwner } from '@x/test-servers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DaemonPaths, daemonPaths } from '../../../src/daemon/locate-daemon.js';
import { type Parent, runParent } from '../../../src/daemon/parent/run-parent.js';
import type { StartReport } from '../../../src/daemon/process-messages.js';
import { readState } from '../../../src/daemon/state-file.js';
import { ownIdentity } from '../../../src/daemon/system-process.js';
import { until } from '../../helpers/until.js';

const userId = process.getuid?.();
let folder: string;
let paths: DaemonPaths;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpx-parent-'));
  const place = { platform: process.platform, env: {}, userId, stateDirectory: folder };
  paths = daemonPaths('0123456789abcdef', place);
  await mkdir(paths.directory, { recursive: true });
});
afterEach(async () => {
  await expectNoLeaks();
  await rm(folder, { recursive: true, force: true });
});

interface Run extends Parent {
  readonly lines: string[];
  readonly report: Promise<StartReport>;
  readonly pids: number[];
}

/** A parent in this process, whose workers run the given program. */
function run(program: string): Run {
  const lines: string[] = [];
  const pids: number[] = [];
  let told: (report: StartReport) => void = () => undefined;
  const report = new Promise<StartReport>((resolve) => {
    told = resolve;
  });
  const parent = runParent({
    paths,
    version: '1.2.3',
    self: ownIdentity(),
    userId,
    servers: [],
    log: { write: (line) => lines.push(line), flush: async () => undefined },
    report: told,
    startWorker: () => {
      const worker = spawn(process.execPath, ['-e', program], {
        env: withOwner(),
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      if (worker.pid !== undefined) pids.push(worker.pid);
      return worker;
    },
  });
  return { ...parent, lines, report, pids };
}

const isReady = `process.send({ type: 'ready', socket: '/nowhere', token: 'ab'.repeat(32) });`;

describe('a parent', () => {
  test('reports the last output of a worker that was never ready, and starts no other', async () => {
    const parent = run('console.error("first"); console.error("last words"); process.exit(9)');
    expect(await parent.report).toMatchObject({
      status: 'failed',
      error: {
        code: 'daemon-start-failed',
        message: expect.stringContaining('exit code 9'),
        details: ['first', 'last words'],
      },
    });
    await parent.finished;
    expect(parent.pids).toHaveLength(1);
    expect(await readdir(paths.directory)).toEqual([]);
  });

  test('kills a worker that neither drains nor ends on request', async () => {
    const parent = run(`${isReady} process.on('message', () => undefined); setInterval(() => undefined, 1_000);`);
    expect(await parent.report).toEqual({ status: 'ready' });
    parent.end();
    parent.end();
    await parent.finished;
    expect(parent.lines).toContain('ending at once: second request to end');
  });

  test('ends when its worker ends deliberately', async () => {
    const parent = run(
      `${isReady} process.once('message', () => { process.send({ type: 'leaving' }, () => process.exit(0)); });`,
    );
    await parent.report;
    await parent.finished;
    expect(parent.pids).toHaveLength(1);
  });

  test('retries a failed write of its state while it serves', async () => {
    const parent = run(
      `${isReady} process.on('message', ({ type }) => { if (type !== 'begin') process.exit(type === 'drain' ? 0 : 5); });`,
    );
    await parent.report;
    // Blocks the file as a full disk would.
    await rm(paths.stateFile);
    await mkdir(paths.stateFile);
    parent.reload(); // this worker crashes over it
    await until(() => parent.lines.some((line) => line.startsWith('the state file cannot be written')));
    await until(() => parent.pids.length === 2);
    await rm(paths.stateFile, { recursive: true });
    const state = await until(async () => {
      const found = await readState(paths.stateFile, userId);
      return found?.phase.name === 'ready' && found.phase;
    });
    expect(state.worker.pid).toBe(parent.pids[1]);
    parent.end();
    await parent.finished;
  });
});
