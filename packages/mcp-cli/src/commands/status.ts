import type { CommonOptions } from '../command-options.js';
import type { ServerRow } from '../control/reports.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { namedRows } from '../named-rows.js';
import { openControl } from '../open-control.js';
import { printJson } from '../output/print-json.js';
import { printableLine } from '../output/printable.js';
import { serverTable } from '../output/server-table.js';
import { stylesFor } from '../output/styles.js';

export interface StatusOptions extends CommonOptions {
  /** Default, and if empty: all. */
  readonly servers?: readonly string[];
  readonly watch?: boolean;
}

/** Starts no server and sends none a request. */
export async function status(options: StatusOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { signal } = io;
  const { servers: wanted = [], watch, json } = options;
  const daemon = await control.daemonInfo({ signal });
  const report = await control.status({ signal });
  const { fleet } = report;
  const servers = namedRows(report, wanted);
  if (watch) {
    const { watchStatus } = await import('./watch-status.js');
    return await watchStatus(control, { isDaemon: daemon !== undefined, servers: wanted, json }, io);
  }

  if (json) {
    printJson({ ...(daemon && { daemon }), servers, ...(fleet && { fleet }) }, io);
    return exitCodes.ok;
  }
  io.stdout.write(serverTable(servers, { ...stylesFor(io.stdout, io), command: 'status', width: io.stdout.columns }));
  if (fleet && wanted.length === 0) {
    const { fleetHead, othersTable } = await import('../output/fleet-table.js');
    io.stdout.write(`\n${fleetHead(fleet)}${othersTable(fleet, stylesFor(io.stdout, io))}`);
  }
  printNotes(servers, io);
  if (!daemon)
    io.stderr.write('No daemon is running for this config, so no server is running. Run "mcpx up" to start them.\n');
  return exitCodes.ok;
}

/** Prints servers that wait for consent, and servers that replace one of the user's. */
function printNotes(rows: readonly ServerRow[], io: Io): void {
  const namesOf = (some: readonly ServerRow[]): string => printableLine(some.map(({ name }) => name).join(', '), 300);
  const waiting = rows.filter(({ waitsForConsent, disabled }) => waitsForConsent && !disabled);
  if (waiting.length > 0) {
    io.stderr.write(`These servers need your consent: ${namesOf(waiting)}. Run "mcpx trust" to see what they run.\n`);
  }
  for (const { name, replaces } of rows) {
    if (replaces === undefined) continue;
    io.stderr.write(`${printableLine(`"${name}" replaces your server of the same name, in ${replaces}.`, 1_000)}\n`);
  }
}
