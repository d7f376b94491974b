import { setTimeout as pause } from 'node:timers/promises';
import { ControlError } from '../control/control-error.js';
import { connectAt } from './find-daemon.js';
import { lockHolder } from './instance-lock.js';
import { type DaemonIo, type DaemonOptions, isPlaceThere, locateDaemon } from './locate-daemon.js';
import { isAlive, type ProcessIdentity, sendSignal } from './system-process.js';

/** 20 s for the servers and a margin for the daemon. */
const endMs = 30_000;
const againMs = 200;
const pollMs = 25;

/**
 * Ends a daemon of any version and state, with its servers. Resolves when the process is gone.
 *
 * @param options.now - Cancels calls in progress.
 * @returns Its process id; `undefined` when none was running.
 */
export async function endDaemon(
  { now = false, ...options }: DaemonOptions & { readonly now?: boolean | undefined },
  io: DaemonIo,
): Promise<number | undefined> {
  const place = locateDaemon(options, io);
  if (!(await isPlaceThere(place))) return undefined;
  // The lock has a holder even before the daemon writes its state file.
  const parent = await lockHolder(place.paths.directory);
  if (!parent) return undefined;
  if (!sendSignal(parent, 'SIGTERM')) await requestShutdown();
  const startedAt = performance.now();
  while (isAlive(parent)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > endMs) throw endTimeout(parent);
    // Two pending signals merge into one.
    if (now && waitedMs > againMs) sendSignal(parent, 'SIGTERM');
    await pause(pollMs, undefined, { signal: io.signal });
  }
  return parent.pid;

  /** Requests the shutdown over the socket, for systems without signals. */
  async function requestShutdown(): Promise<void> {
    await using control = await connectAt(place, io);
    await control?.shutDown();
  }
}

function endTimeout({ pid }: ProcessIdentity): ControlError {
  return new ControlError('daemon-unreachable', `The daemon (process ${pid}) did not end within ${endMs} ms.`, {
    hint: 'Run "mcpx down --now", or kill that process: its servers end with it.',
  });
}
