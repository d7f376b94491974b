import type { CommonOptions } from '../command-options.js';
import { agreeBefore, trustingStarts } from '../consent/agree-before.js';
import type { Control } from '../control/control.js';
import type { ServerOutcome } from '../control/reports.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import type { ExitCode } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printOutcomes } from '../output/server-outcomes.js';
import { trackStarts } from '../output/start-tracker.js';

/** Without names, restarts all that are running. */
export async function restart(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await agreeBefore({ ...options, servers: options.servers.length > 0 ? options.servers : undefined }, io);
  await using control = trustingStarts(await ensureDaemon({ config: options.config }, io), io);
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
  using tracker = trackStarts(io, { ...options, servers });
  return await control.restart({ servers, signal: io.signal, onStep: tracker.onStep });
}
