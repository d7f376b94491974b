import {
  type ConfigIssue,
  checkRequirements,
  formatIssue,
  type Redactor,
  type RequirementReport,
  toSarif,
} from '@x/mcp-config-schema';
import { checkFiles } from '@x/mcp-config-schema/load';
import packageJson from '../../package.json' with { type: 'json' };
import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { printJson, type Styles, stylesFor } from '../output/print.js';
import { requirementLines } from './requirements.js';

export interface ValidateOptions extends CommonOptions {
  readonly sarif?: boolean;
  readonly strict?: boolean;
}

/** Prints every issue with its position, then which tool needs which server. Starts nothing. */
export async function validate(options: ValidateOptions, io: Io): Promise<ExitCode> {
  const { config: files, json, sarif } = options;
  const checked = await checkFiles({ cwd: io.cwd, env: io.env, ...(files && { files }) });
  const { config, texts, redactor } = checked;
  const hasRoles = config !== undefined && config.roles.length > 0;
  const found = hasRoles
    ? await (await import('../config/rule-issues.js')).ruleIssues({ ...config, issues: checked.issues }, options, io)
    : [];
  const issues = [...checked.issues, ...found];
  const requirements = config && checkRequirements(config, {});
  const isSound = config !== undefined && found.every(({ severity }) => severity === 'warning');
  const exitCode = isSound ? exitCodes.ok : exitCodes.config;
  if (sarif) {
    const log = toSarif(issues, { toolName: 'mcpx', toolVersion: packageJson.version });
    printJson(redactor.redactData(log), io);
    return exitCode;
  }
  if (json) {
    const report = { ok: isSound, files: [...texts.keys()], issues, requirements };
    printJson(redactor.redactData(report), io);
    return exitCode;
  }
  for (const issue of issues) io.stderr.write(`${issueText(issue, texts, redactor)}\n`);
  if (config && isSound) {
    const styles = stylesFor(io.stdout, io);
    io.stdout.write(summary([...texts.keys()], config.servers.length, issues, styles));
    for (const line of requirementLines(requirements as RequirementReport, styles)) io.stdout.write(`${line}\n`);
  } else {
    io.stderr.write(`${counted(issues)}. Fix ${issues.length === 1 ? 'it' : 'them'} and run "mcpx validate" again.\n`);
  }
  return exitCode;
}

function issueText(issue: ConfigIssue, texts: ReadonlyMap<string, string>, redactor: Redactor): string {
  const text = issue.file === undefined ? undefined : texts.get(issue.file);
  return formatIssue(issue, { text, redactor });
}

function summary(files: readonly string[], servers: number, issues: readonly ConfigIssue[], { green }: Styles): string {
  const problems = issues.length === 0 ? 'no issues' : counted(issues);
  return `${green('✓')} ${files.join(', ')}: ${servers} ${servers === 1 ? 'server' : 'servers'}, ${problems}\n`;
}

function counted(issues: readonly ConfigIssue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  const warnings = issues.length - errors;
  const parts = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? 'error' : 'errors'}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ];
  return parts.join(', ');
}
