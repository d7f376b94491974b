import { setTimeout as pause } from 'node:timers/promises';
import { ControlError } from '../control/control-error.js';
import { connectAt } from './find-daemon.js';
import { lockHolder } from './instance-lock.js';
import { type DaemonIo, type DaemonOptions, isPlaceThere, locateDaemon } from './locate-daemon.js';
import { isAlive, type ProcessIdentity, sendSignal } from './system-process.js';

/** The daemon has 20 s for its servers and a little for itself. */
const endMs = 30_000;
const againMs = 200;
const pollMs = 25;

/**
 * Ends the daemon of a config with all its servers, whatever version it is and whatever state it is in. Resolves when it
 * is gone.
 *
 * @param options.now - Ends what is under way instead of waiting for it.
 * @returns Its process id; `undefined` when none ran.
 */
export async function endDaemon(
  { now = false, ...options }: DaemonOptions & { readonly now?: boolean | undefined },
  io: DaemonIo,
): Promise<number | undefined> {
  const place = locateDaemon(options, io);
  if (!(await isPlaceThere(place))) return undefined;
  // Whoever holds the lock is the daemon, also while it has not written anything down yet.
  const parent = await lockHolder(place.paths.directory);
  if (!parent) return undefined;
  if (!sendSignal(parent, 'SIGTERM')) await askToLeave();
  const startedAt = performance.now();
  while (isAlive(parent)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > endMs) throw stuck(parent);
    // Two signals that come together are one: the second has to come by itself.
    if (now && waitedMs > againMs) sendSignal(parent, 'SIGTERM');
    await pause(pollMs, undefined, { signal: io.signal });
  }
  return parent.pid;

  /** Where a signal does not reach it. */
  async function askToLeave(): Promise<void> {
    await using control = await connectAt(place, io);
    await control?.shutDown();
  }
}

function stuck({ pid }: ProcessIdentity): ControlError {
  return new ControlError('daemon-unreachable', `The daemon (process ${pid}) did not end within ${endMs} ms.`, {
    hint: 'Run "mcpx down --now", or end that process yourself: its servers end with it.',
  });
}
