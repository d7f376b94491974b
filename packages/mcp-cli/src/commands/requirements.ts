import type { Requirement, RequirementReport, ToolReadiness } from '@x/mcp-config-schema';
import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { tiers } from '../control/server-facts.js';
import { openControl } from '../open-control.js';
import { fit } from '../output/fit.js';
import { printableLine, printJson, type Styles, stylesFor } from '../output/print.js';

/** Starts no server. */
export async function requirements(options: CommonOptions & { readonly strict?: boolean }, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const report = await control.requirements({ signal: io.signal });
  if (options.json) printJson(report, io);
  else if (report.tools.length === 0) io.stdout.write('No tool in the config requires a server.\n');
  else {
    for (const line of requirementLines(report, stylesFor(io.stdout, io))) io.stdout.write(fit(`${line}\n`, io.stdout));
    io.stdout.write(`${printableLine(report.readiness, 40)}\n`);
  }
  return hasRequirements(report, options) ? exitCodes.ok : exitCodes.failed;
}

/** @param options.strict - Recommended servers count as required. */
export function hasRequirements(
  { readiness }: RequirementReport,
  { strict = false }: { readonly strict?: boolean },
): boolean {
  return readiness !== 'blocked' && !(strict && readiness === 'degraded');
}

/** A line per tool, then a line per server, by tier, and one for all optional servers that are not configured. */
export function requirementLines({ tools, undeclared }: RequirementReport, styles: Styles): string[] {
  const { bold, dim } = styles;
  return [
    ...tools.flatMap((tool) => [`${bold(tool.tool)} is ${tool.readiness}`, ...serverLines(tool, styles)]),
    ...(undeclared.length === 0 ? [] : [dim(`no tool lists ${undeclared.join(', ')}`)]),
  ];
}

function serverLines(tool: ToolReadiness, { green, yellow, red, dim }: Styles): string[] {
  const marks = { required: red('✗'), recommended: yellow('!'), optional: dim('-') } as const;
  const lines = tiers.flatMap((tier) =>
    tool[tier]
      .filter((each) => !isLeftOut(tier, each))
      .map(({ server, satisfied, status, installHint }) => {
        const hint = installHint === undefined ? '' : dim(` (${installHint})`);
        return `  ${satisfied ? green('✓') : marks[tier]} ${tier.padEnd(11)} ${server}: ${status}${hint}`;
      }),
  );
  const leftOut = tool.optional.filter((each) => isLeftOut('optional', each)).map(({ server }) => server);
  return leftOut.length === 0
    ? lines
    : [...lines, `  ${marks.optional} optional    ${leftOut.join(', ')}: not-configured`];
}

function isLeftOut(tier: (typeof tiers)[number], { status }: Requirement): boolean {
  return tier === 'optional' && status === 'not-configured';
}
