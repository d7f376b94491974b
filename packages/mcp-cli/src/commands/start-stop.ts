import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { obtainConsent, withTrustedStarts } from '../consent/obtain-consent.js';
import type { Control } from '../control/control.js';
import type { ServerOutcome } from '../control/reports.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { trackStarts } from '../output/live/start-tracker.js';
import { printJson } from '../output/print.js';
import { namesOf, printOutcomes, showLogs, startServers } from '../servers/start-servers.js';

export async function start(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await obtainConsent(options, io);
  await using control = withTrustedStarts(await ensureDaemon({ config: options.config }, io), io);
  const outcomes = await startServers(control, options.servers, options, io);
  return printOutcomes(outcomes, { done: 'is up', json: options.json }, io);
}

/** Stops servers of the daemon. A later call restarts those with `auto_start`. */
export async function stop(
  options: CommonOptions & { readonly servers: readonly string[]; readonly force?: boolean },
  io: Io,
): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  if (!control) {
    if (options.json) printJson({ servers: [] }, io);
    else io.stdout.write('No daemon is running for this config, so none of its servers is running.\n');
    return exitCodes.ok;
  }
  const outcomes = await control.stop({ servers: options.servers, force: options.force, signal: io.signal });
  return printOutcomes(outcomes, { done: 'is stopped', json: options.json }, io) === exitCodes.ok
    ? exitCodes.ok
    : exitCodes.failed;
}

/** Without names, restarts all that are running. */
export async function restart(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await obtainConsent({ ...options, servers: options.servers.length > 0 ? options.servers : undefined }, io);
  await using control = withTrustedStarts(await ensureDaemon({ config: options.config }, io), io);
  const servers = options.servers.length > 0 ? options.servers : undefined;
  const outcomes = await restartTracked(control, servers, options, io);
  if (outcomes.length === 0 && !options.json)
    io.stderr.write('No server is running. Run "mcpx up" to start servers.\n');
  return printOutcomes(outcomes, { done: 'is up again', json: options.json }, io);
}

async function restartTracked(
  control: Control,
  servers: readonly string[] | undefined,
  options: CommonOptions,
  io: Io,
): Promise<readonly ServerOutcome[]> {
  const shown = options.verbose ? (servers ?? (await namesOf(control, ({ state }) => state !== 'stopped', io))) : [];
  await using _logs = showLogs(control, shown, io);
  using tracker = trackStarts(io, { ...options, servers });
  return await control.restart({ servers, signal: io.signal, onStep: tracker.onStep });
}
