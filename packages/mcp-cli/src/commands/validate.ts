import {
  type ConfigIssue,
  checkRequirements,
  formatIssue,
  type Redactor,
  type ServerConfig,
  type ServerFacts,
} from '@x/mcp-config-schema';
import { checkFiles, type GivenTexts, type LoadOptions } from '@x/mcp-config-schema/load';
import { toSarif } from '@x/mcp-config-schema/report';
import packageJson from '../../package.json' with { type: 'json' };
import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { configSource } from '../config/config-source.js';
import { noteUnusedFiles } from '../config/unused-files.js';
import { fit, printNote } from '../output/fit.js';
import { counted, printJson, type Styles, stylesFor } from '../output/print.js';
import { hasRequirements, requirementLines } from './requirements.js';

export interface ValidateOptions extends CommonOptions {
  readonly sarif?: boolean;
  readonly strict?: boolean;
  /** Looks for commands and packages, too. */
  readonly installed?: boolean;
}

/** Prints every issue with its position, then which tool needs which server. Starts nothing. */
export async function validate(options: ValidateOptions, io: Io): Promise<ExitCode> {
  const { config: files, json, sarif, strict = false, installed = false } = options;
  const { own, ...checked } = await checkWithOwnTexts(configSource(files, io), io);
  const { config, redactor } = checked;
  const texts = new Map([
    ...checked.texts,
    ...Array.from(own?.texts ?? [], ([file, { text }]) => [file, text] as const),
  ]);
  const needsTools = config?.roles.length || config?.servers.some(({ tools }) => tools !== undefined);
  const found =
    config && needsTools
      ? await (await import('../config/rule-issues.js')).ruleIssues({ ...config, issues: checked.issues }, options, io)
      : [];
  const missing = await (await import('../config/command-issues.js')).commandIssues(checked, io);
  const issues = [...checked.issues, ...missing, ...found].map((issue) => {
    const placed = own?.place(issue) ?? issue;
    return strict ? strictly(placed) : placed;
  });
  const requirements = config && checkRequirements(config, installed ? await factsOf(config.servers, io) : {});
  const isSound = requirements !== undefined && issues.every(({ severity }) => severity === 'warning');
  const isReady = !installed || (requirements !== undefined && hasRequirements(requirements, options));
  const exitCode = !isSound ? exitCodes.config : isReady ? exitCodes.ok : exitCodes.failed;
  if (sarif) {
    const log = toSarif(issues, { toolName: 'mcpx', toolVersion: packageJson.version });
    printJson(redactor.redactData(log), io);
    return exitCode;
  }
  if (json) {
    const report = { ok: exitCode === exitCodes.ok, files: [...texts.keys()], issues, requirements };
    printJson(redactor.redactData(report), io);
    return exitCode;
  }
  noteUnusedFiles(files, io);
  for (const issue of issues) printNote(issueText(issue, texts, redactor), io);
  if (config && requirements && isSound) {
    const styles = stylesFor(io.stdout, io);
    const text = summary([...texts.keys()], config.servers.length, issues, styles);
    io.stdout.write(
      fit([text, ...requirementLines(requirements, styles).map((line) => `${line}\n`)].join(''), io.stdout),
    );
  } else {
    printNote(
      `${countedIssues(issues)}. Fix ${issues.length === 1 ? 'it' : 'them'} and run "mcpx validate" again.`,
      io,
    );
  }
  return exitCode;
}

/** `own`: the files of host apps, if these are checked in place of a config. Issues have places in converted text. */
async function checkWithOwnTexts(source: LoadOptions, { cwd }: Pick<Io, 'cwd'>) {
  const { given } = source;
  let read: GivenTexts | undefined;
  const checked = await checkFiles({
    ...source,
    ...(given && {
      given: {
        ...given,
        read: async () => {
          read = await given.read();
          return read;
        },
      },
    }),
  });
  if (read === undefined) return { ...checked, own: undefined };
  const { ownTexts, placeInOwnText } = await import('../host-apps/own-places.js');
  const texts = await ownTexts(read, checked.texts.keys(), cwd);
  return { ...checked, own: { texts, place: (issue: ConfigIssue) => placeInOwnText(issue, texts) } };
}

/** Loaded on demand: it needs the client manager. */
async function factsOf(servers: readonly ServerConfig[], { env }: Io): Promise<Readonly<Record<string, ServerFacts>>> {
  return (await import('../servers/installed.js')).installFacts(servers, env);
}

/** A rule about an unknown server has no effect, which `--strict` makes an error. */
function strictly(issue: ConfigIssue): ConfigIssue {
  const isOfRole = issue.code === 'unknown-server' && issue.path.includes('role_restrictions');
  return isOfRole ? { ...issue, severity: 'error' } : issue;
}

function issueText(issue: ConfigIssue, texts: ReadonlyMap<string, string>, redactor: Redactor): string {
  const text = issue.file === undefined ? undefined : texts.get(issue.file);
  return formatIssue(issue, { text, redactor });
}

function summary(files: readonly string[], servers: number, issues: readonly ConfigIssue[], { green }: Styles): string {
  const problems = issues.length === 0 ? 'no issues' : countedIssues(issues);
  return `${green('✓')} ${files.join(', ')}: ${counted(servers, 'server')}, ${problems}\n`;
}

function countedIssues(issues: readonly ConfigIssue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  const warnings = issues.length - errors;
  const parts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  return parts.join(', ');
}
