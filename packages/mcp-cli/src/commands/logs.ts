import type { CommonOptions } from '../command-options.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { printJsonLine } from '../output/print-json.js';
import { printable } from '../output/printable.js';
import { stylesFor } from '../output/styles.js';

export interface LogsOptions extends CommonOptions {
  readonly server: string;
  readonly follow?: boolean;
  readonly lines: number;
}

/** `mcpx logs <server>`: what a server of the daemon has written to stderr lately, with `--follow` what it writes next. */
export async function logs(options: LogsOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { server, lines, json } = options;
  const { signal } = io;
  const isDaemon = (await control.daemonInfo({ signal })) !== undefined;
  const follow = isDaemon && options.follow === true; // nothing else can start a server meanwhile
  const { dim } = stylesFor(io.stdout, io);
  for await (const { line, missed = 0 } of control.logs({ server, follow, lines, signal })) {
    if (json) printJsonLine({ server, line, ...(missed > 0 && { missed }) }, io);
    else {
      if (missed > 0) io.stdout.write(`${dim(`… ${missed} lines were left out`)}\n`);
      io.stdout.write(`${printable(line).replaceAll('\n', ' ')}\n`);
    }
  }
  if (!isDaemon) {
    io.stderr.write(
      'No daemon runs for this config, so there is nothing to show. "mcpx up" starts one that keeps what servers write; ' +
        'log_directory in mcp_settings keeps it in files.\n',
    );
  }
  return exitCodes.ok;
}
