import type { CommonOptions } from '../command-options.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';
import { printOutcomes } from '../output/server-outcomes.js';

/** Stops servers of the daemon. A later call restarts those with `auto_start`. */
export async function stop(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  if (!control) {
    if (options.json) printJson({ servers: [] }, io);
    else io.stdout.write('No daemon is running for this config, so none of its servers is running.\n');
    return exitCodes.ok;
  }
  const outcomes = await control.stop({ servers: options.servers, signal: io.signal });
  return printOutcomes(outcomes, { done: 'is stopped', json: options.json }, io) === exitCodes.ok
    ? exitCodes.ok
    : exitCodes.failed;
}
