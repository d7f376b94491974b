import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { obtainConsent, withTrustedStarts } from '../consent/obtain-consent.js';
import type { ServerOutcome } from '../control/reports.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { printNote } from '../output/fit.js';
import { printJson } from '../output/print.js';
import { exitCodeOf, namesOf, printFailures, printOutcomes, startReported } from '../servers/start-servers.js';

export async function start(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await obtainConsent(options, io);
  await using control = withTrustedStarts(await ensureDaemon({ config: options.config }, io), io);
  const { servers } = options;
  const run: StartRun = (onStep) => control.start({ servers, signal: io.signal, onStep });
  return reported(await startReported(control, { ...options, hasSteps: true, done: 'is up', run }, io), options, io);
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
  const run: StartRun = (onStep) => control.restart({ servers, signal: io.signal, onStep });
  const shown = servers ?? (await namesOf(control, ({ state }) => state !== 'stopped', io));
  const outcomes = await startReported(
    control,
    { ...options, hasSteps: true, servers: shown, done: 'is up again', run },
    io,
  );
  if (outcomes.length === 0 && !options.json) printNote('No server is running. Run "mcpx up" to start servers.', io);
  return reported(outcomes, options, io);
}

type StartRun = Parameters<typeof startReported>[1]['run'];

function reported(outcomes: readonly ServerOutcome[], { json }: CommonOptions, io: Io): ExitCode {
  if (json) printJson({ servers: outcomes }, io);
  else printFailures(outcomes, io);
  return exitCodeOf(outcomes);
}
