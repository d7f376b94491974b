import { agreeAhead, askingBeforeStarts, askingOn } from './consent/agree-before.js';
import type { Control } from './control/control.js';
import { findDaemon } from './daemon/find-daemon.js';
import { locateDaemon } from './daemon/locate-daemon.js';
import type { Io } from './io.js';
import { daemonServerLogs } from './server-log-directory.js';

export interface OpenControlOptions {
  /** Config files or directories, as they were named on the command line. */
  readonly config?: readonly string[] | undefined;
  /** Agrees first to everything that the config runs. */
  readonly trust?: boolean | undefined;
}

/**
 * The servers of the daemon where one runs for the config, and otherwise servers of this process, of which none is
 * started yet. Disposing of it leaves the daemon alone and stops what was started here.
 *
 * @throws {ConfigError} There is no daemon, and the config is missing or wrong.
 * @throws {ControlError} There is a daemon that cannot be used; see `findDaemon`.
 */
export async function openControl(options: OpenControlOptions, io: Io): Promise<Control> {
  await agreeAhead(options, io);
  const daemon = await findDaemon(options, io);
  if (daemon) return askingBeforeStarts(daemon, options, io);
  // Loaded only now: with a daemon, neither the libraries nor the protocol SDK are needed.
  const [{ openStack }, { createLocalControl }] = await Promise.all([
    import('./compose.js'),
    import('./control/local-control.js'),
  ]);
  const stack = await openStack({ config: options.config, askConsent: askingOn(io) }, io);
  return createLocalControl(stack, { logDirectory: logsOfDaemon(options, io) });
}

/** What a daemon has left; a user without any directory for one has had none. */
function logsOfDaemon(options: OpenControlOptions, io: Io): string | undefined {
  try {
    return daemonServerLogs(locateDaemon(options, io).paths.logFile);
  } catch {
    return undefined;
  }
}
