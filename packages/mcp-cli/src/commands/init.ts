import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { CommandError, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { storeConsent, waitingLaunches } from '../consent/prompt-consent.js';
import { chosenHosts, foundHosts, hostPlace, type ScopeChoice } from '../host-apps/hosts.js';
import { askOne, askSome, canAsk } from '../output/ask.js';
import { fit, printNote } from '../output/fit.js';
import { printable, printJson, stylesFor } from '../output/print.js';
import { configText, exampleServers, schemaFor } from '../writing-config/config-text.js';
import { type FilledServers, fillValues } from '../writing-config/imported-values.js';
import { type ImportedServers, readHosts, type SkippedServer } from '../writing-config/read-hosts.js';

export interface InitOptions {
  /** Default: the user chooses; without a terminal `mcp_servers.yaml`. */
  readonly file?: string;
  /** Host apps to import from; `all` for all that are found. Default: the user chooses; without a terminal none. */
  readonly from?: readonly string[];
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Never overwrites a file. */
export async function init(options: InitOptions, io: Io): Promise<ExitCode> {
  const answers = await answersFor(options, io);
  const path = answers.file;
  const imported = answers.hosts.length > 0 ? await readHosts(answers.hosts, hostPlace(io, 'user')) : undefined;
  const hasServers = imported !== undefined && Object.keys(imported.servers).length > 0;
  if (imported && !hasServers && isNamed(options)) throw nothingFound(imported, answers.hosts);
  const schema = schemaFor(dirname(path));
  const filled = hasServers ? await filledServers(imported, envFileFor(path), options, io) : undefined;
  const { servers = exampleServers, secrets = [], unset = [] } = filled ?? {};
  await writeNew(path, configText({ servers, secrets, origins: imported?.origins ?? {}, schema }));
  await filled?.keepRest();
  await trustWritten(path, io);
  report(path, imported && { ...imported, secrets: unset }, options, io);
  return exitCodes.ok;
}

/** A value is asked for on a terminal only. */
async function filledServers(
  imported: ImportedServers,
  envFile: string,
  options: Pick<InitOptions, 'yes' | 'json'>,
  io: Io,
): Promise<FilledServers> {
  if (isAsking(options, io)) return fillValues(imported, envFile, io);
  const { servers, secrets } = imported;
  return { servers, secrets, unset: secrets, keepRest: async () => undefined };
}

function envFileFor(config: string): string {
  const directory = dirname(config);
  return join(basename(directory) === 'config' ? dirname(directory) : directory, '.env');
}

/** Records consent, since the user chose exactly these entries. Without a state directory the first start asks. */
async function trustWritten(path: string, io: Io): Promise<void> {
  if (io.stateDirectory === undefined) return;
  const { waiting } = await waitingLaunches({ config: [path] }, io);
  await storeConsent(waiting, io);
}

interface Answers {
  /** Absolute path at which nothing is yet. */
  readonly file: string;
  readonly hosts: readonly string[];
}

function isAsking({ yes, json }: Pick<InitOptions, 'yes' | 'json'>, io: Io): boolean {
  return !yes && !json && canAsk(io);
}

async function answersFor({ file, from, yes, json }: InitOptions, io: Io): Promise<Answers> {
  const asks = isAsking({ yes, json }, io);
  if (!asks && !yes && file === undefined && from === undefined) {
    throw new UsageError('This command must prompt, but there is no terminal.', {
      hint: 'Run "mcpx init --yes" to write mcp_servers.yaml, with --from <host> to take servers from a host app.',
    });
  }
  const found = await foundHosts(hostPlace(io, 'user'), 'user');
  const chosen = file ?? (asks ? await askOne('Where do you want the config?', places, io) : 'mcp_servers.yaml');
  const chosenFile = resolve(io.cwd, chosen);
  await requireNew(chosenFile);
  if (from !== undefined)
    return { file: chosenFile, hosts: from.includes('all') ? found.map(({ host }) => host) : from };
  if (!asks || found.length === 0) return { file: chosenFile, hosts: [] };
  const hosts = await askSome(
    'Import servers from these programs? (space toggles, enter confirms)',
    found.map(({ host, name, file: hint }) => ({ value: host, label: name, hint: printable(hint) })),
    io,
  );
  return { file: chosenFile, hosts };
}

/** `all` may find nothing, which is no error; a named host app must have servers. */
function isNamed({ from }: InitOptions): boolean {
  return from !== undefined && !from.includes('all');
}

function nothingFound({ skipped }: ImportedServers, hosts: readonly string[]): CommandError {
  const names = hosts.map((host) => `"${printable(host)}"`).join(', ');
  return new CommandError(exitCodes.failed, `No server of ${names} can be imported. Nothing was written.`, {
    details: skipped.map(skippedText),
    hint: 'For files of a project run "mcpx import <host> --scope project", which prints a config.',
  });
}

function nothingToImport({ skipped }: ImportedServers): CommandError {
  return new CommandError(exitCodes.failed, 'No server can be imported, so no config was printed.', {
    details: skipped.map(skippedText),
    hint: 'Run "mcpx sync --list" to see where host apps keep their servers. --scope project reads files of this project.',
  });
}

const places = [
  { value: 'mcp_servers.yaml', label: 'mcp_servers.yaml', hint: 'in this directory' },
  { value: 'config/mcp_servers.yaml', label: 'config/mcp_servers.yaml' },
] as const;

/** Before a question is asked. @throws {CommandError} There is something at this path. */
async function requireNew(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined) throw taken(path);
}

/** The flag `wx` protects a file that another process creates at the same moment. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw taken(path, { cause: error });
    throw new CommandError(exitCodes.failed, `${path} cannot be written: ${message}.`, { cause: error });
  }
}

function taken(path: string, options: ErrorOptions = {}): CommandError {
  return new CommandError(exitCodes.failed, `${path} exists and is not overwritten.`, {
    hint: 'Name another file with --file, or add the output of "mcpx import" to this one.',
    ...options,
  });
}

function report(path: string, imported: ImportedServers | undefined, { json }: InitOptions, io: Io): void {
  const names = Object.keys(imported?.servers ?? {});
  if (json) {
    const { secrets = [], skipped = [], warnings = [] } = imported ?? {};
    printJson({ file: path, servers: names, secrets, skipped, warnings }, io);
    return;
  }
  if (imported) printImportNotes(imported, io);
  const { green } = stylesFor(io.stdout, io);
  const what = names.length > 0 ? `with ${names.map(printable).join(', ')}` : 'with an example server';
  const lines = [
    `${green('✓')} Wrote ${printable(relative(io.cwd, path) || path)} ${what}.`,
    'Next: "mcpx validate" checks it, "mcpx up" starts its servers, "mcpx search" finds their tools.',
  ];
  io.stdout.write(fit(`${lines.join('\n')}\n`, io.stdout));
}

export interface ImportOptions {
  /** Ids, families or short names of host apps. Empty: all that are found. */
  readonly hosts: readonly string[];
  readonly scope: ScopeChoice;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Writes no config. On a terminal it stores the values that the user types, as `init` does. */
export async function importHosts({ hosts, scope, ...options }: ImportOptions, io: Io): Promise<ExitCode> {
  const place = hostPlace(io, scope, hosts);
  const imported = await readHosts(await chosenHosts(hosts, place, scope), place);
  const isEmpty = Object.keys(imported.servers).length === 0;
  if (options.json) {
    const { prompts: _, ...report } = imported;
    printJson(report, io);
  } else if (isEmpty) throw nothingToImport(imported);
  else {
    const { servers, secrets, unset, keepRest } = await filledServers(imported, join(io.cwd, '.env'), options, io);
    await keepRest();
    io.stdout.write(configText({ servers, secrets, origins: imported.origins, schema: schemaFor(io.cwd) }));
    printImportNotes({ ...imported, secrets: unset }, io);
  }
  return isEmpty ? exitCodes.failed : exitCodes.ok;
}

/** Prints on stderr which servers were skipped, what may not work, and which variables the user must set. */
function printImportNotes({ secrets, skipped, warnings }: ImportedServers, io: Io): void {
  const { yellow, bold } = stylesFor(io.stderr, io);
  for (const each of skipped) printNote(`${yellow('left out')} ${skippedText(each)}`, io);
  for (const { server, host, message } of warnings) {
    printNote(`${yellow('warning')} ${printable(`${server} (${host}): ${message}`)}`, io);
  }
  const variables = [...new Set(secrets.map(({ variable }) => variable))];
  if (variables.length === 0) return;
  printNote(`Secrets were not copied. Set ${variables.map((name) => bold(name)).join(', ')} before a start.`, io);
}

function skippedText({ server, host, reason }: SkippedServer): string {
  return printable(`${server === undefined ? host : `${server} (${host})`}: ${reason}`);
}
