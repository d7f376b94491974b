import type { CommonOptions } from '../command-options.js';
import type { Control } from '../control/control.js';
import type { DiscoveryReport } from '../control/reports.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { printJson } from '../output/print-json.js';
import { printable, printableLine } from '../output/printable.js';
import { showLogs } from '../output/show-logs.js';
import { trackStarts } from '../output/start-tracker.js';
import { stylesFor } from '../output/styles.js';
import { toolLines } from '../output/tool-lines.js';

export interface DiscoverCommandOptions extends CommonOptions {
  readonly server: string;
  readonly refresh?: boolean;
}

/** Lists the tools of one server, from the cache unless `--refresh` is given. */
export async function discover(options: DiscoverCommandOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  await using _logs = showLogs(control, options.verbose ? [options.server] : [], io);
  const { json } = options;
  const report = await listTools(control, options, io);
  const { server, tools, problems, cachedAt } = report;
  if (json) {
    printJson(report, io);
    return exitCodes.ok;
  }
  const { bold } = stylesFor(io.stdout, io);
  io.stdout.write(
    `${bold(printableLine(server, 60))} offers ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}\n`,
  );
  io.stdout.write(toolLines(tools, io));
  if (cachedAt !== undefined) {
    const when = new Date(cachedAt).toISOString();
    io.stderr.write(`Listed at ${when}. "mcpx discover ${printableLine(server, 60)} --refresh" requests a new list.\n`);
  }
  for (const problem of problems) io.stderr.write(`warning: ${printable(problem)}\n`);
  return exitCodes.ok;
}

async function listTools(
  control: Control,
  { server, refresh = false, ...options }: DiscoverCommandOptions,
  io: Io,
): Promise<DiscoveryReport> {
  using tracker = trackStarts(io, options);
  return await control.discover({ server, signal: io.signal, onStep: tracker.onStep, remembered: !refresh });
}
