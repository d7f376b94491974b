import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { absoluteNames } from '../config/config-names.js';
import type { DaemonControl } from '../control/control.js';
import { ControlError, controlErrorData, controlErrorFrom } from '../control/control-error.js';
import { refuseNesting } from '../servers/gateway-depth.js';
import { connectAt } from './find-daemon.js';
import { lockHolder } from './instance-lock.js';
import {
  createPlace,
  type DaemonIo,
  type DaemonOptions,
  type DaemonPaths,
  type DaemonPlace,
  locateDaemon,
} from './locate-daemon.js';
import { type DaemonArguments, daemonArguments, type StartReport } from './process-messages.js';

const pollMs = 25;

interface EnsureOptions extends DaemonOptions {
  /** Idle time after which a newly started daemon ends, in milliseconds. Default: never. */
  readonly idleExitMs?: number | undefined;
  /** Of a newly started daemon. Default: none. */
  readonly metrics?: DaemonArguments['metrics'];
  /** Longest wait for the daemon, in milliseconds. Default 60 000. */
  readonly timeoutMs?: number | undefined;
  /** Called before the connection if this command has started the daemon, which then has read the config just now. */
  readonly onStarted?: (() => void) | undefined;
}

/**
 * Connects to the daemon of a config and starts it if none is running. Only one of several callers starts it.
 *
 * @throws {ControlError} `daemon-start-failed`, errors of the config, and all errors of `findDaemon`.
 */
export async function ensureDaemon(
  { timeoutMs = 60_000, onStarted = () => undefined, ...options }: EnsureOptions,
  io: DaemonIo,
): Promise<DaemonControl> {
  const place = locateDaemon(options, io);
  await createPlace(place);
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const running = await connectAt(place, io);
    if (running) return running;
    // Another process is starting the daemon, or the daemon is ending.
    if (await lockHolder(place.paths.directory)) await pause(pollMs, undefined, { signal: io.signal });
    else if (await startDaemon(place, { ...options, timeoutMs: deadline - performance.now() }, io)) onStarted();
  }
  throw new ControlError('daemon-start-failed', `The daemon did not accept commands within ${timeoutMs} ms.`, {
    hint: `Its log is ${place.paths.logFile}.`,
    retryable: true,
  });
}

/** Resolves to true when the daemon accepts commands; to false when another one was first, or time is up. */
async function startDaemon(
  { paths }: DaemonPlace,
  { config, idleExitMs, metrics, timeoutMs }: Omit<EnsureOptions, 'onStarted'> & { readonly timeoutMs: number },
  { daemonPrograms, cwd, env, stateDirectory, signal }: DaemonIo,
): Promise<boolean> {
  refuseNesting(env, 'gateway');
  const [command, ...args] = daemonPrograms?.parent ?? [];
  if (command === undefined) {
    throw new ControlError('daemon-start-failed', 'This program cannot start a daemon.', {
      hint: 'Run "mcpx up" first.',
    });
  }
  const files = absoluteNames(config, cwd);
  const words = daemonArguments({ id: paths.id, cwd, config: files, stateDirectory, idleExitMs, metrics });
  const child = spawn(command, [...args, ...words], {
    // Survives the terminal and keeps no directory of the user busy.
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
  return report?.status === 'ready';
}

/** Resolves to the first line of the child, and detaches the child from this process. */
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
    return failed(`it printed: ${line.slice(0, 200)}`, paths);
  }
}

function failed(reason: string, { logFile }: DaemonPaths): StartReport {
  const error = new ControlError('daemon-start-failed', `The daemon could not start: ${reason}.`, {
    hint: `Run "mcpx up --foreground" to see its output; its log is ${logFile}.`,
  });
  return { status: 'failed', error: controlErrorData(error) };
}
