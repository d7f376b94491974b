import type { CommonOptions } from '../command-options.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { printJson } from '../output/print-json.js';
import { printableLine } from '../output/printable.js';
import { requirementLines } from '../output/requirement-lines.js';
import { stylesFor } from '../output/styles.js';

/** Starts no server. */
export async function requirements(options: CommonOptions & { readonly strict?: boolean }, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const report = await control.requirements({ signal: io.signal });
  if (options.json) printJson(report, io);
  else if (report.tools.length === 0) io.stdout.write('No tool in the config requires a server.\n');
  else {
    for (const line of requirementLines(report, stylesFor(io.stdout, io))) io.stdout.write(`${line}\n`);
    io.stdout.write(`${printableLine(report.readiness, 40)}\n`);
  }
  const isGood = report.readiness === 'ready' || (report.readiness === 'degraded' && !options.strict);
  return isGood ? exitCodes.ok : exitCodes.failed;
}
