import type { Io } from './command.js';
import { applyTrustFlag, consentPrompt, withConsentPrompts } from './consent/obtain-consent.js';
import type { Control } from './control/control.js';
import { findDaemon } from './daemon/find-daemon.js';
import { locateDaemon } from './daemon/locate-daemon.js';
import { commandCapabilities } from './elicitation/command-client.js';

interface OpenControlOptions {
  /** Config files or directories as named on the command line. */
  readonly config?: readonly string[] | undefined;
  /** First gives consent to all launches of the config. */
  readonly trust?: boolean | undefined;
}

/**
 * The servers of the running daemon, or else servers of this process, not yet started. Disposal does not stop the
 * daemon.
 *
 * @throws {ConfigError} There is no daemon, and the config is missing or invalid.
 * @throws {ControlError} The daemon is unusable; see `findDaemon`.
 */
export async function openControl(options: OpenControlOptions, io: Io): Promise<Control> {
  await applyTrustFlag(options, io);
  const daemon = await findDaemon(options, io);
  if (daemon) return withConsentPrompts(daemon, options, io);
  // Lazy: with a daemon, neither the libraries nor the protocol SDK are needed.
  const [{ openStack }, { createLocalControl }] = await Promise.all([
    import('./compose.js'),
    import('./control/local-control.js'),
  ]);
  const stack = await openStack(
    { config: options.config, askConsent: consentPrompt(io), capabilities: commandCapabilities },
    io,
  );
  return createLocalControl(stack, { logDirectory: logsOfDaemon(options, io) });
}

/** Directory of an earlier daemon's logs; `undefined` for a user without a directory for daemons. */
function logsOfDaemon(options: OpenControlOptions, io: Io): string | undefined {
  try {
    return daemonServerLogs(locateDaemon(options, io).paths.logFile);
  } catch {
    return undefined;
  }
}

/** Directory of server logs for configs that name none: beside the daemon's own log. */
export function daemonServerLogs(daemonLog: string): string {
  return daemonLog.replace(/\.log$/, '');
}
