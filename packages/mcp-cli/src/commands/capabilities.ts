import type { CommonOptions } from '../command-options.js';
import type { Control } from '../control/control.js';
import type { CapabilitiesReport } from '../control/reports.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { printJson } from '../output/print-json.js';
import { printable, printableLine } from '../output/printable.js';
import { showLogs } from '../output/show-logs.js';
import { trackStarts } from '../output/start-tracker.js';
import { stylesFor } from '../output/styles.js';

/** Prints what a server declares in its handshake. Starts it if necessary. */
export async function capabilities(options: CommonOptions & { readonly server: string }, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  await using _logs = showLogs(control, options.verbose ? [options.server] : [], io);
  const report = await fetchReport(control, options, io);
  if (options.json) {
    printJson(report, io);
    return exitCodes.ok;
  }
  const { bold, dim } = stylesFor(io.stdout, io);
  const { server, serverInfo, protocolVersion, instructions } = report;
  const program = serverInfo ? ` is ${printableLine(`${serverInfo.name} ${serverInfo.version}`, 200)}` : '';
  io.stdout.write(
    `${bold(printableLine(server, 60))}${program}, protocol ${printableLine(String(protocolVersion), 40)}\n`,
  );
  for (const line of capabilityLines(report.capabilities)) io.stdout.write(`  ${line}\n`);
  if (instructions) io.stdout.write(`\n${dim('Instructions for models:')}\n${printable(instructions)}\n`);
  return exitCodes.ok;
}

async function fetchReport(
  control: Control,
  { server, ...options }: CommonOptions & { readonly server: string },
  io: Io,
): Promise<CapabilitiesReport> {
  using tracker = trackStarts(io, options);
  return await control.capabilities({ server, signal: io.signal, onStep: tracker.onStep });
}

/** Such as `resources (subscribe, listChanged)`. */
function capabilityLines(declared: unknown): readonly string[] {
  const entries = Object.entries((declared ?? {}) as Record<string, unknown>).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  if (entries.length === 0) return ['declares nothing'];
  return entries.map(([name, value]) => {
    const features = Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([feature, on]) =>
      on === false ? [] : [feature],
    );
    return printableLine(features.length > 0 ? `${name} (${features.join(', ')})` : name, 300);
  });
}
