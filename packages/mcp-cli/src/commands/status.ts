import type { CommonOptions } from '../command-options.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { printJson } from '../output/print-json.js';
import { serverTable } from '../output/server-table.js';
import { stylesFor } from '../output/styles.js';

export interface StatusOptions extends CommonOptions {
  /** Goes on until it is interrupted. */
  readonly watch?: boolean;
}

/** `mcpx status`: how every server is. Starts none and asks none. */
export async function status(options: StatusOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { signal } = io;
  const daemon = await control.daemonInfo({ signal });
  if (options.watch) {
    const { watchStatus } = await import('./watch-status.js');
    return await watchStatus(control, { isDaemon: daemon !== undefined, json: options.json }, io);
  }

  const { servers } = await control.status({ signal });
  if (options.json) {
    printJson({ ...(daemon && { daemon }), servers }, io);
    return exitCodes.ok;
  }
  io.stdout.write(serverTable(servers, { ...stylesFor(io.stdout, io), columns: io.stdout.columns }));
  if (!daemon) io.stderr.write('No daemon runs for this config, so no server does. "mcpx up" starts them.\n');
  return exitCodes.ok;
}
