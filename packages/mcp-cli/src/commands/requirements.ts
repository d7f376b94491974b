import type { RequirementReport } from '@x/mcp-config-schema';
import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { tiers } from '../control/server-facts.js';
import { openControl } from '../open-control.js';
import { printableLine, printJson, type Styles, stylesFor } from '../output/print.js';

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

/** A line per tool, then a line per server, by tier. */
export function requirementLines({ tools }: RequirementReport, { green, yellow, red, bold, dim }: Styles): string[] {
  const marks = { required: red('✗'), recommended: yellow('!'), optional: dim('-') } as const;
  return tools.flatMap((tool) => [
    `${bold(tool.tool)} is ${tool.readiness}`,
    ...tiers.flatMap((tier) =>
      tool[tier].map(({ server, satisfied, status, installHint }) => {
        const hint = installHint === undefined ? '' : dim(` (${installHint})`);
        return `  ${satisfied ? green('✓') : marks[tier]} ${tier.padEnd(11)} ${server}: ${status}${hint}`;
      }),
    ),
  ]);
}
