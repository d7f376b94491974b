import type { CommonOptions } from '../command-options.js';
import { endDaemon } from '../daemon/end-daemon.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';

export async function down(options: CommonOptions & { readonly now?: boolean }, io: Io): Promise<ExitCode> {
  const pid = await endDaemon(options, io);
  if (options.json) printJson({ stopped: pid !== undefined, pid }, io);
  else
    io.stdout.write(
      pid === undefined ? 'No daemon is running for this config.\n' : `The daemon (process ${pid}) has left.\n`,
    );
  return exitCodes.ok;
}
