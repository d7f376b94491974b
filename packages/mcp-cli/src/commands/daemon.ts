import { mkdir, writeFile } from 'node:fs/promises';
import { homedir, platform as systemPlatform } from 'node:os';
import { dirname } from 'node:path';
import { codeOf } from '@x/internal/files';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { absoluteNames } from '../config/config-names.js';
import { trustsEverything } from '../consent/obtain-consent.js';
import { ControlError } from '../control/control-error.js';
import type { DaemonInfo } from '../control/reports.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { readLog, readServerEvents, type ServerEvent } from '../daemon/read-log.js';
import { launchdPlist, type ServiceFile, type ServiceOptions, systemdUnit } from '../daemon/service-file.js';
import { openControl } from '../open-control.js';
import { changesText } from '../output/changes-text.js';
import { fit, printNote } from '../output/fit.js';
import { printable, printableLine, printJson, printJsonLine, stylesFor } from '../output/print.js';
import { namedRows } from '../servers/server-rows.js';

/** Exits with 1 if no daemon is running. */
export async function daemonStatus(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  const info = await control?.daemonInfo({ signal: io.signal });
  if (options.json) printJson({ running: info !== undefined, ...info }, io);
  else io.stdout.write(fit(info ? infoText(info) : 'No daemon is running for this config.\n', io.stdout));
  return info ? exitCodes.ok : exitCodes.failed;
}

function infoText(info: DaemonInfo): string {
  const { version, pid, workerPid, startedAt, configFiles, configReadAt, logFile, metrics, memoryBytes } = info;
  const lines = [
    `mcpx ${version} runs as process ${pid}, its servers in process ${workerPid}`,
    `since    ${new Date(startedAt).toISOString()}`,
    `memory   ${Math.round(memoryBytes / 1_048_576)} MB without its servers`,
    ...configFiles.map((file) => `config   ${file}`),
    `read     ${new Date(configReadAt).toISOString()}`,
    ...(logFile === undefined ? [] : [`log      ${logFile}`]),
    ...(metrics === undefined ? [] : [`metrics  ${metrics.url}`]),
  ];
  return `${printable(lines.join('\n'))}\n`;
}

/** The daemon rejects a config with errors. */
export async function daemonReload(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  if (!control) {
    throw new ControlError('daemon-not-running', 'No daemon is running for this config.', {
      hint: 'Run "mcpx up" to start it.',
    });
  }
  const report = await control.reload({ trust: trustsEverything(io.env) || undefined, signal: io.signal });
  if (options.json) {
    printJson(report, io);
    return exitCodes.ok;
  }
  io.stdout.write(fit(changesText(report) || 'Nothing has changed since the last reload.\n', io.stdout));
  return exitCodes.ok;
}

/** Prints the end of the daemon's own log. `mcpx logs` prints those of its servers. */
export async function daemonLogs(options: CommonOptions & { readonly follow?: boolean }, io: Io): Promise<ExitCode> {
  const { logFile } = locateDaemon(options, io).paths;
  for await (const text of readLog(logFile, { follow: options.follow, signal: io.signal })) {
    if (options.json) for (const line of text.trimEnd().split('\n')) printJsonLine({ line: printable(line) }, io);
    else io.stdout.write(printable(text));
  }
  return exitCodes.ok;
}

interface EventsOptions extends CommonOptions {
  /** Empty: all. */
  readonly servers: readonly string[];
  readonly follow?: boolean;
  /** Stored events, at most. */
  readonly lines: number;
}

/** Prints the events of servers in the daemon's log, also after the daemon has ended. */
export async function serverEvents(options: EventsOptions, io: Io): Promise<ExitCode> {
  const { servers, follow, lines, json } = options;
  const { dim } = stylesFor(io.stdout, io);
  const print = (event: ServerEvent): void => {
    if (json) printJsonLine(event, io);
    else io.stdout.write(fit(`${dim(event.at)} ${eventText(event)}\n`, io.stdout));
  };
  let isStored = true;
  const { logFile } = locateDaemon(options, io).paths;
  for await (const events of readServerEvents(logFile, { follow, signal: io.signal })) {
    const shown = events.filter(({ server }) => servers.length === 0 || servers.includes(server));
    if (isStored) await requireKnown(shown, options, io);
    const kept = isStored ? shown.slice(Math.max(0, shown.length - lines)) : shown;
    for (const event of kept) print(event);
    if (isStored && shown.length === 0 && !json && !follow) printNote(noEvents(servers), io);
    isStored = false;
  }
  return exitCodes.ok;
}

function eventText({ server, event, detail }: ServerEvent): string {
  return `${printableLine(server, 130)} ${event}${detail === undefined ? '' : `: ${printableLine(detail, 1_000)}`}`;
}

/** @throws {ControlError} `unknown-server`: neither the config nor an event has a server of this name. */
async function requireKnown(events: readonly ServerEvent[], options: EventsOptions, io: Io): Promise<void> {
  const unseen = options.servers.filter((name) => !events.some(({ server }) => server === name));
  if (unseen.length === 0) return;
  await using control = await openControl(options, io);
  namedRows(await control.status({ signal: io.signal }), unseen);
}

function noEvents(servers: readonly string[]): string {
  const whose = servers.length === 0 ? 'of servers' : `of ${printableLine(servers.join(', '), 300)}`;
  return `The daemon's log has no events ${whose}. "mcpx up" starts servers in the daemon.`;
}

interface InstallOptions extends CommonOptions {
  readonly yes?: boolean;
  /** Default: the current platform. */
  readonly platform?: string;
  /** Default: the user's home directory. */
  readonly home?: string;
}

export async function daemonInstall(options: InstallOptions, io: Io): Promise<ExitCode> {
  const { yes, platform = systemPlatform(), home = homedir(), json } = options;
  const service: ServiceOptions = {
    id: locateDaemon(options, io).paths.id,
    program: io.daemonPrograms?.command ?? ['mcpx'],
    config: absoluteNames(options.config, io.cwd) ?? [],
    cwd: io.cwd,
    home,
    path: io.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  };
  const file = serviceFile(platform, service);
  if (yes) await writeServiceFile(file);
  if (json) {
    printJson({ ...file, written: yes === true }, io);
    return exitCodes.ok;
  }
  if (yes) io.stdout.write(`Wrote ${file.path}\nNow run:\n${file.next.map((line) => `  ${line}\n`).join('')}`);
  else io.stdout.write(`# ${file.path}\n${file.text}`);
  if (!yes) printNote('Nothing was written. Run it again with --yes to write this file.', io);
  return exitCodes.ok;
}

async function writeServiceFile({ path, text }: ServiceFile): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (cause) {
    throw new CommandError(exitCodes.failed, `${path} cannot be written: ${codeOf(cause) ?? String(cause)}.`, {
      hint: 'Run it without --yes and save its output in the directory of your system for services.',
      cause,
    });
  }
}

function serviceFile(platform: string, service: ServiceOptions): ServiceFile {
  if (platform === 'linux') return systemdUnit(service);
  if (platform === 'darwin') return launchdPlist(service);
  throw new UsageError(`There is no service file for ${platform}.`, {
    hint: 'Run "mcpx up" at login, for example with the task scheduler.',
  });
}
