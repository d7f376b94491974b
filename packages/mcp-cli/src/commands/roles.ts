import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { noteUnusedFiles } from '../config/unused-files.js';
import type { RoleReport } from '../control/reports.js';
import { openControl } from '../open-control.js';
import { fit, printNote } from '../output/fit.js';
import { printable, printableLine, printJson, stylesFor } from '../output/print.js';

export async function roles(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const reports = await control.roles({ signal: io.signal });
  noteUnusedFiles(options.config, io);
  if (options.json) printJson({ roles: reports }, io);
  else if (reports.length === 0)
    io.stdout.write(fit('The config has no role_restrictions, so there are no roles.\n', io.stdout));
  else for (const report of reports) printRole(report, options, io);
  return exitCodes.ok;
}

function printRole({ role, rules, tools, unmatched, ambiguous }: RoleReport, { verbose }: CommonOptions, io: Io): void {
  const { bold, dim } = stylesFor(io.stdout, io);
  const lines = [`${bold(printableLine(role, 100))} may use ${tools.length} of the tools that are known`];
  for (const rule of rules) {
    const { source, tool } = rule;
    const place = source?.file === undefined ? '' : ` (${source.file}:${source.line})`;
    lines.push(`  ${dim(printableLine(`rule${tool === undefined ? '' : ` of ${tool}`}${place}`, 500))}`);
    for (const [field, value] of Object.entries(rule)) {
      if (shownElsewhere.has(field) || value === undefined || isEmpty(value)) continue;
      lines.push(`    ${printableLine(`${words(field)}: ${valueText(value)}`, 1_000)}`);
    }
  }
  if (verbose) lines.push(...tools.map((tool) => `  ${printableLine(tool, 200)}`));
  io.stdout.write(fit(lines.map((line) => `${line}\n`).join(''), io.stdout));
  for (const { message } of [...unmatched, ...ambiguous]) printNote(`warning: ${printableLine(message, 1_000)}`, io);
}

const shownElsewhere = new Set(['role', 'tool', 'source']);

/** `allowedTools` as `allowed tools`. */
function words(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Exits with 5 for an unknown tool. */
export async function explainRole(
  options: CommonOptions & { readonly role: string; readonly tool: string },
  io: Io,
): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const explanation = await control.explain({ role: options.role, tool: options.tool, signal: io.signal });
  if (options.json) printJson(explanation, io);
  else io.stdout.write(fit(`${printable(explanation.message)}\n`, io.stdout));
  if (explanation.decision !== 'unknown') return exitCodes.ok;
  if (!options.json)
    printNote('Run "mcpx search" to find tools. The tools of a server that never ran are unknown.', io);
  return exitCodes.notFound;
}
