import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks, withOwner } from '@x/test-servers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { protocolNumber } from '../../../src/daemon/connection/protocol.js';
import { acquireLock } from '../../../src/daemon/instance-lock.js';
import { createPlace, type DaemonPlace, placeOf } from '../../../src/daemon/locate-daemon.js';
import { runDaemon } from '../../../src/daemon/parent/run-daemon.js';
import { writeState } from '../../../src/daemon/state-file.js';
import { identify, ownIdentity } from '../../../src/daemon/system-process.js';

const id = '0123456789abcdef';
let folder: string;
let place: DaemonPlace;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpx-daemon-'));
  place = placeOf(id, { env: {}, stateDirectory: folder });
});
afterEach(async () => {
  await expectNoLeaks();
  await rm(folder, { recursive: true, force: true });
});

const untilBegun = 'process.once("message", () => { console.error("has begun"); process.exit(3); })';

type Start = (args: readonly string[], options: SpawnOptions) => ChildProcess;
const startNode: Start = (args, options) => spawn(process.execPath, args, options);

/** A daemon in this process. Its workers run until they receive a message, and exit with code 3. */
function run(program = untilBegun, start: Start = startNode) {
  const reports: object[] = [];
  const workers: ChildProcess[] = [];
  const daemon = runDaemon({
    arguments: {
      id,
      cwd: folder,
      config: undefined,
      stateDirectory: folder,
      idleExitMs: undefined,
      metrics: undefined,
    },
    version: '1.2.3',
    env: {},
    servers: [],
    startWorker: () => {
      const worker = start(['-e', program], {
        env: withOwner(),
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      workers.push(worker);
      return worker;
    },
    report: (report) => reports.push(report),
  });
  return { ...daemon, reports, workers };
}

test('starts its worker before it has the lock, and that one begins with it', async () => {
  const daemon = run();
  expect(daemon.workers).toHaveLength(1);
  await daemon.finished;
  expect(daemon.workers).toMatchObject([{ exitCode: 3 }]);
  expect(daemon.reports).toMatchObject([
    { status: 'failed', error: { message: expect.stringContaining('exit code 3') } },
  ]);
  expect(await readFile(place.paths.logFile, 'utf8')).toContain('has begun');
});

test('without the lock ends the worker that has not begun', async () => {
  await createPlace(place);
  const lock = await acquireLock(place.paths.directory, ownIdentity());
  const daemon = run();
  await daemon.finished;
  expect(daemon.reports).toEqual([{ status: 'held' }]);
  expect(daemon.workers).toMatchObject([{ signalCode: 'SIGKILL', exitCode: null }]);
  if (lock.status === 'ours') await lock.release();
});

test.skipIf(process.platform === 'win32')('without a private directory ends it, too', async () => {
  await mkdir(place.paths.directory, { recursive: true });
  await chmod(place.paths.directory, 0o777);
  const daemon = run();
  await daemon.finished;
  expect(daemon.reports).toMatchObject([{ status: 'failed', error: { code: 'unsafe-directory' } }]);
  expect(daemon.workers).toMatchObject([{ signalCode: 'SIGKILL' }]);
});

test('asked to end before it has the lock, lets no worker begin', async () => {
  const daemon = run();
  daemon.end();
  await daemon.finished;
  expect(daemon.reports).toMatchObject([{ status: 'failed' }]);
  expect(daemon.workers).toMatchObject([{ signalCode: 'SIGKILL' }]);
});

test('reports a worker that has ended before it could begin', async () => {
  await createPlace(place);
  // Two workers must not run the same servers, so this one is waited for.
  const earlier = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    env: withOwner(),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const { paths } = place;
  await writeState(paths.stateFile, {
    format: 1,
    version: '1.2.3',
    protocol: protocolNumber,
    parent: ownIdentity(),
    startedAt: Date.now(),
    logFile: paths.logFile,
    phase: { name: 'starting', worker: identify(earlier.pid ?? 0) },
  });
  const daemon = run('console.error("no such module"); process.exit(4)');
  await Promise.all(daemon.workers.map((worker) => once(worker, 'exit')));
  earlier.stdin.end();
  await daemon.finished;
  const error = { message: expect.stringContaining('exit code 4'), details: ['no such module'] };
  expect(daemon.reports).toMatchObject([{ status: 'failed', error }]);
  expect(await readFile(paths.logFile, 'utf8')).toContain('no such module');
});

describe('a worker that the system refuses to start', () => {
  const refuse: Start = () => {
    throw new Error('spawn ENOMEM');
  };

  test('is reported with the log, and not as a fault of the directory', async () => {
    const daemon = run(untilBegun, refuse);
    await daemon.finished;
    const { logFile } = place.paths;
    const error = { message: expect.stringContaining('spawn ENOMEM'), hint: `Its log is ${logFile}.` };
    expect(daemon.reports).toMatchObject([{ status: 'failed', error }]);
    expect(await readFile(logFile, 'utf8')).toContain('spawn ENOMEM');
  });

  test('is reported with its error, also when that comes later', async () => {
    const missing: Start = (args, options) => spawn('/no/such/program', args, options);
    const daemon = run(untilBegun, missing);
    await daemon.finished;
    const message = 'The daemon could not start: its worker ended with the error "spawn /no/such/program ENOENT".';
    expect(daemon.reports).toMatchObject([{ status: 'failed', error: { message } }]);
  });

  test('does not hide that another daemon has the lock', async () => {
    await createPlace(place);
    const lock = await acquireLock(place.paths.directory, ownIdentity());
    const daemon = run(untilBegun, refuse);
    await daemon.finished;
    expect(daemon.reports).toEqual([{ status: 'held' }]);
    if (lock.status === 'ours') await lock.release();
  });
});
