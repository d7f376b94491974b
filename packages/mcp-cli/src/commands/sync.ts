import { resolve } from 'node:path';
import { realPath } from '@x/internal/files';
import { type Config, isConfigError } from '@x/mcp-config-schema';
import { type LoadedConfig, type LoadOptions, loadConfig } from '@x/mcp-config-schema/load';
import {
  type AppliedFile,
  applySync,
  detectHosts,
  type HostInfo,
  type HostPlace,
  type HostServer,
  isGatewayServer,
  listHosts,
  planSync,
  readHostDocuments,
  readOwnership,
  type SyncPlan,
  type SyncStep,
} from '@x/mcp-host-sync';
import { readText } from '@x/mcp-host-sync/edit';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { configSource } from '../config/config-source.js';
import { requireRole } from '../config/role-view.js';
import { configIdentityOf } from '../daemon/locate-daemon.js';
import { gatewayEntry } from '../host-apps/gateway-entry.js';
import { chosenHosts, hostFailure, hostPlace, type ScopeChoice } from '../host-apps/hosts.js';
import { writeLauncher } from '../host-apps/launcher.js';
import type { ServedServers } from '../host-apps/served-servers.js';
import { askYesNo, canAsk } from '../output/ask.js';
import { fieldsInCommandWords } from '../output/command-words.js';
import { fit, printNote } from '../output/fit.js';
import { counted, printable, printableLine, printJson, type Styles, stylesFor } from '../output/print.js';
import { table } from '../output/table.js';
import { recorded } from '../writing-config/change-config.js';
import type { ChangedFile } from '../writing-config/change-journal.js';
import { diffText } from '../writing-config/print-change.js';

export interface SyncOptions extends CommonOptions {
  /** Ids, families or short names of host apps. Empty: all that are found. */
  readonly hosts: readonly string[];
  readonly scope: ScopeChoice;
  readonly dryRun?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  /** Removes what earlier runs wrote, and writes nothing. */
  readonly remove?: boolean;
  /** Folder of an extension whose servers are written in place of the config's. */
  readonly extension?: string;
  readonly list?: boolean;
  /** Writes one entry, `mcpx serve`, in place of one entry per server. `false` with a role: its tools in the app's own lists. */
  readonly gateway?: boolean;
  /** Removes entries of servers that it serves. Implies `gateway`. */
  readonly adopt?: boolean;
  /** Role of that entry, or with `gateway: false` of the servers. */
  readonly role?: string;
  readonly name?: string;
}

/** Prints what would change in the config files of host apps, and writes it after confirmation. */
export async function sync(options: SyncOptions, io: Io): Promise<ExitCode> {
  if (options.list) return listAll(options, io);
  if (options.gateway === false) checkOwnLists(options);
  const { json, dryRun, check, yes } = options;
  const { stateDirectory } = io;
  if (stateDirectory === undefined) {
    throw new CommandError(exitCodes.failed, 'There is no directory to store a record of written entries in.', {
      hint: 'Set HOME to a directory of yours.',
    });
  }
  const { plan, refusal } = await planFor(options, { stateDirectory }, io).catch((error: unknown) => {
    throw hostFailure(error);
  });
  const isChange = changesAnything(plan);
  if (refusal !== undefined) reportRefusal(refusal, plan, io);
  const failed = refusal !== undefined || plan.issues.some((issue) => isFailure(issue, options)) || hasConflict(plan);
  const verdict = failed ? exitCodes.failed : exitCodes.ok;
  const shown = shownPlan(plan);
  if (!json) io.stdout.write(planText(shown, io) || fit(nothingToDo(options), io.stdout));
  const isAsked = isChange && !dryRun && !check;
  if (isAsked && !yes && !(canAsk(io) && !json)) {
    if (json) printJson(report(shown, []), io);
    throw new UsageError('Nothing was written, because there is no terminal to prompt on.', {
      hint: 'Add --yes to write the changes, or --dry-run to only see them.',
    });
  }
  const isWanted = isAsked && (yes || (await askYesNo(`Write ${counted(plan.files.length, 'file')}?`, io)));
  const isRun = !dryRun && !check && (isWanted || !isChange);
  if (isRun && !options.remove && isGateway(options) && options.scope === 'user')
    await writeLauncher({ ...io, stateDirectory });
  const written = isWanted ? await applyRecorded(plan, stateDirectory, io) : [];
  if (json) printJson(report(shown, written), io);
  else if (options.adopt && written.length > 0) printNote('"mcpx config undo" puts all of it back.', io);
  else if (isChange && !isWanted) printNote('Nothing was written.', io);
  return check && isChange ? exitCodes.failed : verdict;
}

/** @throws {UsageError} `--no-gateway` stands without a role, or names the entry that it does not write. */
function checkOwnLists({ role, name }: SyncOptions): void {
  if (role !== undefined && name === undefined) return;
  throw new UsageError(
    role === undefined ? '--no-gateway requires --role.' : '--no-gateway cannot be used with --name.',
    { hint: 'It writes the servers of a role, with its tools in lists of the app: --role <role> --no-gateway' },
  );
}

async function planFor(
  options: SyncOptions,
  { stateDirectory }: { readonly stateDirectory: string },
  io: Io,
): Promise<{ readonly plan: SyncPlan; readonly refusal?: UsageError | undefined }> {
  const { scope, force } = options;
  const place = hostPlace(io, scope, options.hosts);
  const { servers: ours, refusal } = options.remove ? { servers: [] } : await serversFor(options, io);
  const ownership = await readOwnership({ stateDirectory });
  const hosts = await chosenHosts(options.hosts, place, scope);
  const theirs = await readHostDocuments(hosts, { place, ownership });
  const adopting = options.adopt ? await adoptable(options, io) : undefined;
  const adopt = adopting?.served;
  const toolLists = options.role !== undefined && !isGateway(options) ? 'write' : undefined;
  const planned = planSync({ ours, theirs, ownership, owner: await ownerFor(options, io), force, adopt, toolLists });
  // A server of the config whose entry stays needs no advice to add it there.
  const issues = planned.issues.map((issue) =>
    issue.code === 'not-served' && adopting?.reasons.has(issue.server ?? '') ? { ...issue, hint: undefined } : issue,
  );
  const plan = { ...planned, issues };
  await refuseOwnConfig(plan, ours, options, io);
  return { plan, refusal };
}

/**
 * Entries of an earlier sync may offer more than the role may use now, so they go.
 *
 * @throws {UsageError} There are none.
 */
function reportRefusal(refusal: UsageError, plan: SyncPlan, io: Io): void {
  if (!plan.steps.some(({ type }) => type === 'remove' || type === 'conflict')) throw refusal;
  const { message, hint = '' } = refusal;
  printNote(`warning: ${printable(`${message} Entries of an earlier sync go. ${hint}`)}`, io);
}

/** The servers that the gateway serves. Reports the others. */
async function adoptable(options: SyncOptions, io: Io): Promise<ServedServers> {
  const { servedServers } = await import('../host-apps/served-servers.js');
  const { served, reasons } = await servedServers(loadOptions(options, io), io);
  for (const [name, reason] of reasons)
    printNote(`warning: Entries of ${printableLine(name, 60)} stay: ${reason}.`, io);
  return { served, reasons };
}

/** @throws {CommandError} The gateway would become an entry in the config that it serves. */
async function refuseOwnConfig({ files }: SyncPlan, ours: readonly HostServer[], options: SyncOptions, io: Io) {
  if (!ours.some(isGatewayServer)) return;
  const config = await ownConfig(options, io);
  const own = new Set(config.files.map((path) => realPath(resolve(io.cwd, path))));
  const file = files.map((change) => change.file).find((path) => own.has(realPath(path)));
  if (file === undefined) return;
  throw new CommandError(
    exitCodes.config,
    `${printable(file)} is the config that the gateway would serve, so the gateway cannot be an entry in it. Nothing was written.`,
    {
      hint: 'Move the servers to a mcp_servers.yaml beside it, which only mcpx reads, or write the gateway to your own files with --scope user.',
    },
  );
}

/** @throws {CommandError} There is no config. */
async function ownConfig(options: SyncOptions, io: Io): Promise<LoadedConfig> {
  try {
    return await loadConfig(loadOptions(options, io));
  } catch (error) {
    if (!isConfigError(error) || error.code !== 'config-not-found') throw error;
    throw new CommandError(exitCodes.config, error.message, {
      hint: 'sync writes the servers of a config of mcpx into host apps; those that the apps have already are no such config. Run "mcpx init --from all" to write one with them, or "mcpx add <name> -- <command>" for another server.',
    });
  }
}

/** Servers of host apps are no config: each app has its own already. */
function loadOptions({ config }: SyncOptions, io: Io): LoadOptions {
  return { ...configSource(config, io), given: undefined, variables: 'keep' };
}

/**
 * One owner per config and extension, so that two projects do not remove each other's servers from the user's files.
 */
async function ownerFor(options: SyncOptions, io: Io): Promise<string> {
  const { extension } = options;
  if (extension === undefined) return `mcpx ${configIdentityOf(options, io)}`;
  const { extensionOwner } = await import('../host-apps/extension-servers.js');
  return extensionOwner(extension, io);
}

interface WantedServers {
  readonly servers: readonly HostServer[];
  /** Why a role has no servers. */
  readonly refusal?: UsageError;
}

async function serversFor(options: SyncOptions, io: Io): Promise<WantedServers> {
  const { extension, config: files, role, name = 'mcpx', scope } = options;
  if (extension !== undefined) {
    const { extensionServers } = await import('../host-apps/extension-servers.js');
    return { servers: await extensionServers(extension, io) };
  }
  const config = await ownConfig(options, io);
  if (role !== undefined && !isGateway(options)) return serversOf(config, role, io);
  if (role !== undefined) requireRole(config, role);
  if (isGateway(options)) return { servers: [gatewayEntry({ name, role, config: files, scope }, io)] };
  return { servers: config.servers.filter((server) => !isGatewayServer(server)) };
}

/** None if lists of tools cannot express the role. */
async function serversOf(config: Config, role: string, io: Io): Promise<WantedServers> {
  const { serversOfRole } = await import('../host-apps/role-servers.js');
  try {
    const { servers, warnings } = serversOfRole(config, role);
    for (const warning of warnings) printNote(`warning: ${warning}`, io);
    printNote('Lists of tools do not restrict the resources and prompts of a server.', io);
    return { servers };
  } catch (error) {
    if (error instanceof UsageError) return { servers: [], refusal: error };
    throw error;
  }
}

function isGateway({ gateway, adopt, role }: SyncOptions): boolean {
  return gateway ?? (adopt === true || role !== undefined);
}

/** Missing support in an app that the user did not name is no failure. */
function isFailure({ severity, code }: SyncPlan['issues'][number], { hosts }: SyncOptions): boolean {
  return severity === 'error' && (hosts.length > 0 || !code.endsWith('-not-supported'));
}

function hasConflict({ steps }: SyncPlan): boolean {
  return steps.some(({ type }) => type === 'conflict');
}

/** Applies the plan and records what it changed, also if some files fail. */
async function applyRecorded(plan: SyncPlan, stateDirectory: string, io: Io): Promise<readonly AppliedFile[]> {
  const before = await textsOf(plan);
  const written: AppliedFile[] = [];
  try {
    await apply(plan, { stateDirectory, written }, io);
    return written;
  } finally {
    const files = await changedFiles(plan, { before, written, stateDirectory });
    if (files.length > 0) await recorded({ command: 'sync', directory: io.cwd, files }, io);
  }
}

/** Texts of the files before the plan is applied, which requires that they are still those of the plan. */
async function textsOf({ files }: SyncPlan): Promise<ReadonlyMap<string, string | undefined>> {
  const texts = files.map(async ({ file }) => [file, await readText(file).catch(() => undefined)] as const);
  return new Map(await Promise.all(texts));
}

interface AppliedPlan {
  readonly before: ReadonlyMap<string, string | undefined>;
  readonly written: readonly AppliedFile[];
  readonly stateDirectory: string;
}

async function changedFiles(
  { files }: SyncPlan,
  { before, written, stateDirectory }: AppliedPlan,
): Promise<readonly ChangedFile[]> {
  const changed = written.filter(({ outcome }) => outcome !== 'unchanged');
  if (changed.length === 0) return [];
  const { files: records } = await readOwnership({ stateDirectory });
  return changed.flatMap(({ file, outcome }) => {
    const content = files.find((change) => change.file === file)?.content.open();
    if (content === undefined) return [];
    const after = records.find(({ path }) => path === file) ?? null;
    return {
      file,
      before: before.get(file) ?? null,
      after: outcome === 'deleted' ? null : content.text,
      record: { before: content.recorded ?? null, after },
    };
  });
}

interface ApplyTo {
  readonly stateDirectory: string;
  /** Receives each completed file. */
  readonly written: AppliedFile[];
}

async function apply(plan: SyncPlan, { stateDirectory, written }: ApplyTo, io: Io): Promise<void> {
  const { green, dim } = stylesFor(io.stderr, io);
  const onApplied = (applied: AppliedFile): void => {
    written.push(applied);
    const backup = applied.backup === undefined ? '' : dim(` (before: ${printable(applied.backup)})`);
    printNote(`${green('✓')} ${applied.outcome} ${printable(applied.file)}${backup}`, io);
  };
  try {
    await applySync(plan, { stateDirectory, signal: io.signal, onApplied });
  } catch (error) {
    io.signal.throwIfAborted();
    throw hostFailure(error);
  }
}

function nothingToDo({ remove, extension }: SyncOptions): string {
  if (remove)
    return `Nothing to do: no host app has servers of this ${extension === undefined ? 'config' : 'extension'}.\n`;
  return 'Nothing to do: every host app has these servers.\n';
}

function report(plan: SyncPlan, written: readonly AppliedFile[]): object {
  const { steps, issues } = plan;
  return {
    changes: changesAnything(plan),
    steps,
    issues: issues.map(({ manualSnippet: _, ...issue }) => issue),
    written,
  };
}

/** Lists the named host apps with what is known of each, or all of the scope. */
async function listAll({ hosts: names, json, scope }: SyncOptions, io: Io): Promise<ExitCode> {
  const place = hostPlace(io, scope, names);
  const found = new Map((await detectHosts(place)).map(({ host, file }) => [host, file]));
  const hosts =
    names.length > 0
      ? hostsNamed(names, place)
      : listHosts().filter((host) => (host.scope === 'user') === (scope === 'user'));
  if (json) {
    printJson({ hosts: hosts.map((host) => ({ ...host, file: found.get(host.id) })) }, io);
    return exitCodes.ok;
  }
  if (names.length > 0) {
    io.stdout.write(fit(hosts.map((host) => hostFacts(host, found.get(host.id))).join('\n'), io.stdout));
    return exitCodes.ok;
  }
  const rows = hosts.map((host) => [host.id, host.name, checkedBy(host), printable(found.get(host.id) ?? '-')]);
  io.stdout.write(table(['Host', 'Name', 'Checked', 'File'], rows, io.stdout));
  return exitCodes.ok;
}

function hostsNamed(names: readonly string[], { project }: HostPlace): readonly HostInfo[] {
  try {
    return listHosts(names, project === undefined ? 'user' : 'project');
  } catch (error) {
    throw hostFailure(error);
  }
}

/** The surest first. */
const ways: readonly HostInfo['evidence'][number]['by'][] = ['program', 'source', 'documentation'];

/** A host app with its facts, by where each is known from. */
function hostFacts({ id, name, evidence }: HostInfo, file: string | undefined): string {
  const groups = new Map<string, string[]>();
  for (const each of evidence.toSorted((one, other) => ways.indexOf(one.by) - ways.indexOf(other.by))) {
    const from =
      each.by === 'program' ? `seen in ${each.program} ${each.version}, ${each.date}` : `from its ${each.by}`;
    groups.set(from, [...(groups.get(from) ?? []), each.fact]);
  }
  const known = [...groups].map(([from, facts]) => `  ${from}: ${facts.join(', ')}\n`).join('');
  return `${id}, ${name}\n  file: ${file === undefined ? 'none found' : printable(file)}\n${known}`;
}

/** The run that shows the most facts, such as `Codex 0.171.0, 2026-11-28: 6 of 8`. */
function checkedBy({ evidence }: HostInfo): string {
  const [first, ...others] = evidence.flatMap((each) => (each.by === 'program' ? [each] : []));
  if (first !== undefined) {
    return `${first.program} ${first.version}, ${first.date}: ${others.length + 1} of ${evidence.length}`;
  }
  return evidence.some(({ by }) => by === 'source') ? 'source' : 'documentation';
}

/** A plan as text: a line and a diff per entry, then the issues. */
function planText({ steps, issues }: SyncPlan, io: Io): string {
  const styles = stylesFor(io.stdout, io);
  const shown = steps.filter(({ type }) => type !== 'keep').map((step) => stepText(step, styles, io));
  const notes = issues.map(({ severity, code, server, host, message, hint }) => {
    const mark = severity === 'error' ? styles.red(severity) : styles.yellow(severity);
    const about = server === undefined ? host : `${server} (${host})`;
    const advice = hint === undefined ? '' : `\n  ${printable(hint)}`;
    return fit(`${mark} ${code} ${printable(about)}: ${printable(message)}${advice}\n`, io.stdout);
  });
  return [...shown, ...notes].join('');
}

function stepText(step: SyncStep, { green, red, yellow, bold }: Styles, io: Io): string {
  const colour = { add: green, change: yellow, remove: red, conflict: red, keep: green }[step.type];
  const why = reasonOf(step);
  const headline = `${colour(step.type)} ${bold(printable(step.server))} (${printable(step.host)})${printable(why)}\n`;
  return `${fit(headline, io.stdout)}${step.diff === '' ? '' : diffText(step.diff, io)}`;
}

function reasonOf(step: SyncStep): string {
  if (step.type === 'conflict') return `: ${step.reason}, ${step.message}`;
  if (step.servedAs === undefined) return '';
  return step.servedAs === step.server ? ': the gateway serves it' : `: the gateway serves it as ${step.servedAs}`;
}

/** The plan with advice for users of mcpx. */
function shownPlan(plan: SyncPlan): SyncPlan {
  return {
    ...plan,
    steps: plan.steps.map((step) => (step.type === 'conflict' ? fieldsInCommandWords(step, ['message']) : step)),
    issues: plan.issues.map((issue) => fieldsInCommandWords(issue, ['message', 'hint'])),
  };
}

/** True if applying the plan would write a file. */
function changesAnything({ steps, files }: SyncPlan): boolean {
  return steps.some(({ type }) => type === 'add' || type === 'change' || type === 'remove') || files.length > 0;
}
