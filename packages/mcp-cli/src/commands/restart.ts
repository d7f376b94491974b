import type { CommonOptions } from '../command-options.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import type { ExitCode } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printOutcomes } from '../output/server-outcomes.js';
import { stepPrinter } from '../output/start-step-line.js';

/** `mcpx restart [server…]`: starts servers of the daemon anew; without names, those that run. */
export async function restart(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await using control = await ensureDaemon({ config: options.config }, io);
  const onStep = options.json ? undefined : stepPrinter(io);
  const servers = options.servers.length > 0 ? options.servers : undefined;
  const outcomes = await control.restart(servers, { signal: io.signal, onStep });
  return printOutcomes(outcomes, { done: 'is up again', json: options.json }, io);
}
