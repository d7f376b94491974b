import type { CommonOptions } from '../command-options.js';
import type { LogLine } from '../control/reports.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { printJsonLine } from '../output/print-json.js';
import { printable, printableLine } from '../output/printable.js';
import { stylesFor } from '../output/styles.js';

export interface LogsOptions extends CommonOptions {
  readonly server: string;
  readonly follow?: boolean;
  readonly lines: number;
}

/** Prints stderr lines of a server; without a daemon those that the last one stored. */
export async function logs(options: LogsOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { server, lines, json } = options;
  const { signal } = io;
  const isDaemon = (await control.daemonInfo({ signal })) !== undefined;
  const follow = isDaemon && options.follow === true; // without a daemon no server can write
  let last: LogLine | undefined;
  for await (const each of control.logs({ server, follow, lines, signal })) {
    last = each;
    if (json) printJsonLine({ server, ...each }, io);
    else printLine(each, io);
  }
  if (!isDaemon) io.stderr.write(last ? oldLines(last) : noLines(server));
  else if (!last && lines > 0 && !json)
    io.stderr.write(`${printableLine(server, 60)} has written nothing to stderr.\n`);
  return exitCodes.ok;
}

function printLine({ line, at, missed = 0 }: LogLine, io: Io): void {
  const { dim } = stylesFor(io.stdout, io);
  if (missed > 0) io.stdout.write(`${dim(`… ${missed} lines were dropped`)}\n`);
  io.stdout.write(`${at === undefined ? '' : dim(`${at} `)}${printable(line).replaceAll('\n', ' ')}\n`);
}

function oldLines({ at = '' }: LogLine): string {
  return `No daemon is running for this config. These lines end at ${at}. Run "mcpx up" to start a daemon.\n`;
}

function noLines(server: string): string {
  return `No daemon is running for this config, and there are no stored lines of ${printableLine(server, 60)}. Run "mcpx up" to start one.\n`;
}
