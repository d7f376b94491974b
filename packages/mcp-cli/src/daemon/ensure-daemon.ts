import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonControl } from '../control/control.js';
import { ControlError, controlErrorData, controlErrorFrom } from '../control/control-error.js';
import { refuseNesting } from '../gateway-depth.js';
import { daemonArguments } from './daemon-arguments.js';
import { connectAt } from './find-daemon.js';
import { lockHolder } from './instance-lock.js';
import { type DaemonIo, type DaemonOptions, type DaemonPlace, locateDaemon, makePlace } from './locate-daemon.js';
import type { DaemonPaths } from './runtime-paths.js';
import type { StartReport } from './worker-messages.js';

const pollMs = 25;

export interface EnsureOptions extends DaemonOptions {
  /** The daemon, if this starts it, leaves after so long without a command or a call, in milliseconds. Default: never. */
  readonly idleExitMs?: number | undefined;
  /** Longest wait for it to take commands, in milliseconds. Default 60 000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * The servers of the daemon for a config, which is started if none runs. Of several that want it at once one starts it,
 * and all of them get the same.
 *
 * @throws {ControlError} `daemon-start-failed`, what is wrong with the config, and whatever `findDaemon` throws.
 */
export async function ensureDaemon(
  { config, idleExitMs, timeoutMs = 60_000 }: EnsureOptions,
  io: DaemonIo,
): Promise<DaemonControl> {
  const place = locateDaemon({ config }, io);
  await makePlace(place);
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const running = await connectAt(place, io);
    if (running) return running;
    // Somebody else is about to start it, or it is about to leave.
    if (await lockHolder(place.paths.directory)) await pause(pollMs, undefined, { signal: io.signal });
    else await startDaemon(place, { config, idleExitMs, timeoutMs: deadline - performance.now() }, io);
  }
  throw new ControlError('daemon-start-failed', `The daemon did not take commands within ${timeoutMs} ms.`, {
    hint: `Its log is ${place.paths.logFile}.`,
    retryable: true,
  });
}

/** Resolves when the daemon takes commands, another one was first, or the time is over. */
async function startDaemon(
  { paths }: DaemonPlace,
  { config, idleExitMs, timeoutMs }: Pick<EnsureOptions, 'config' | 'idleExitMs'> & { readonly timeoutMs: number },
  { daemonPrograms, cwd, env, stateDirectory, signal }: DaemonIo,
): Promise<void> {
  refuseNesting(env, 'gateway');
  const [command, ...args] = daemonPrograms?.parent ?? [];
  if (command === undefined) {
    throw new ControlError('daemon-start-failed', 'This program cannot start a daemon of its own.', {
      hint: 'Run "mcpx up" first.',
    });
  }
  const files = config?.map((file) => resolve(cwd, file));
  const words = daemonArguments({ id: paths.id, cwd, config: files, stateDirectory, idleExitMs });
  const child = spawn(command, [...args, ...words], {
    // A session of its own: no terminal's end reaches it, and no directory is kept in use by it.
    detached: true,
    cwd: paths.directory,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  });
  child.unref();
  const time = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
  const report = await firstReport(child, paths, AbortSignal.any([signal, time])).catch((error: unknown) => {
    if (signal.aborted || !time.aborted) throw error;
  });
  if (report?.status === 'failed') throw controlErrorFrom(report.error);
}

/** Whatever comes of it, nothing of the child keeps this process from ending. */
async function firstReport(
  child: ChildProcessByStdio<null, Readable, null>,
  paths: DaemonPaths,
  signal: AbortSignal,
): Promise<StartReport> {
  const lines = createInterface({ input: child.stdout });
  try {
    signal.throwIfAborted();
    return await new Promise<StartReport>((done, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      child.once('error', (error) => done(failed(`it cannot be run: ${error.message}`, paths)));
      lines.once('line', (line) => done(parseReport(line, paths)));
      lines.once('close', () => done(failed('it ended at once', paths)));
    });
  } finally {
    lines.close();
    child.stdout.destroy();
  }
}

function parseReport(line: string, paths: DaemonPaths): StartReport {
  try {
    return JSON.parse(line) as StartReport;
  } catch {
    return failed(`it said: ${line.slice(0, 200)}`, paths);
  }
}

function failed(reason: string, { logFile }: DaemonPaths): StartReport {
  const error = new ControlError('daemon-start-failed', `The daemon could not start: ${reason}.`, {
    hint: `Run "mcpx up --foreground" to see what it does; its log is ${logFile}.`,
  });
  return { status: 'failed', error: controlErrorData(error) };
}
