import type { CommonOptions } from '../command-options.js';
import { agreeBefore, trustingStarts } from '../consent/agree-before.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import type { ExitCode } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printOutcomes } from '../output/server-outcomes.js';
import { startTracked } from '../start-needed.js';

/** Starts servers in the daemon, and the daemon if necessary. */
export async function start(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await agreeBefore(options, io);
  await using control = trustingStarts(await ensureDaemon({ config: options.config }, io), io);
  const outcomes = await startTracked(control, options.servers, options, io);
  return printOutcomes(outcomes, { done: 'is up', json: options.json }, io);
}
