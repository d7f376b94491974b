import { type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import type { Control } from '../control/control.js';
import { trustHint } from '../control/control-error.js';
import type { CapabilitiesReport, LogLine, ServerOutcome, ServerRow } from '../control/reports.js';
import { openControl } from '../open-control.js';
import { printCapabilities } from '../output/capabilities-text.js';
import { fit, printNote } from '../output/fit.js';
import { trackStarts } from '../output/live/start-tracker.js';
import { printable, printableLine, printJson, printJsonLine, stylesFor } from '../output/print.js';
import { noServers, serverTable } from '../output/server-table.js';
import { needsText, setUpHint } from '../servers/server-needs.js';
import { namedRows } from '../servers/server-rows.js';
import { exitCodeOf, lineText, showLogs, startServers } from '../servers/start-servers.js';

interface StatusOptions extends CommonOptions {
  /** Default, and if empty: all. */
  readonly servers?: readonly string[];
  readonly watch?: boolean;
}

/** Starts no server and sends none a request. */
export async function status(options: StatusOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { signal } = io;
  const { servers: wanted = [], watch, json } = options;
  const daemon = await control.daemonInfo({ signal });
  const report = await control.status({ signal });
  const { fleet } = report;
  const servers = namedRows(report, wanted);
  if (watch) {
    const { watchStatus } = await import('../output/live/watch.js');
    return await watchStatus(control, { isDaemon: daemon !== undefined, servers: wanted, json }, io);
  }

  if (json) {
    printJson({ ...(daemon && { daemon }), servers, ...totalsOf(servers), ...(fleet && { fleet }) }, io);
    return exitCodes.ok;
  }
  io.stdout.write(serverTable(servers, { ...stylesFor(io.stdout, io), command: 'status', stream: io.stdout }));
  if (fleet && wanted.length === 0) {
    const { fleetHead, othersTable } = await import('../output/fleet-table.js');
    io.stdout.write(`\n${fit(fleetHead(fleet), io.stdout)}${othersTable(fleet, stylesFor(io.stdout, io), io.stdout)}`);
  }
  printNotes(servers, io);
  if (!daemon && servers.length > 0)
    printNote('No daemon is running for this config, so no server is running. Run "mcpx up" to start them.', io);
  return exitCodes.ok;
}

/** Degraded servers accept calls, so they are running, too. */
function totalsOf(rows: readonly ServerRow[]): { readonly totalRunning: number; readonly totalHealthy: number } {
  return {
    totalRunning: rows.filter(({ state }) => state === 'running' || state === 'degraded').length,
    totalHealthy: rows.filter(({ health }) => health === 'healthy').length,
  };
}

function printNotes(rows: readonly ServerRow[], io: Io): void {
  if (rows.length === 0) printNote(noServers, io);
  const namesOf = (some: readonly ServerRow[]): string => printableLine(some.map(({ name }) => name).join(', '), 300);
  const waiting = rows.filter(({ waitsForConsent, disabled }) => waitsForConsent && !disabled);
  if (waiting.length > 0) {
    printNote(`These servers need your consent: ${namesOf(waiting)}. Run "mcpx trust" to see what they run.`, io);
  }
  const unset = rows.filter(({ needs }) => needs?.some(({ kind }) => kind === 'variable'));
  if (unset.length > 0) {
    const lacks = unset.map((row) => `${row.name} ${needsText(row)}`).join('; ');
    printNote(`Not set up: ${printableLine(lacks, 1_000)}. ${setUpHint}`, io);
  }
  for (const { name, replaces } of rows) {
    if (replaces === undefined) continue;
    printNote(printableLine(`"${name}" replaces your server of the same name, in ${replaces}.`, 1_000), io);
  }
}

/** Servers of a daemon stay as they are. Without a daemon, servers are started for the check and stopped afterwards. */
export async function health(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { signal } = io;
  const named = options.servers.length > 0 ? options.servers : undefined;
  const isDaemon = (await control.daemonInfo({ signal })) !== undefined;
  const outcomes = isDaemon ? [] : await startServers(control, named, options, io);
  const { servers } = await control.health({ servers: named, signal });

  if (options.json) printJson({ servers }, io);
  else {
    io.stdout.write(serverTable(servers, { ...stylesFor(io.stdout, io), command: 'health', stream: io.stdout }));
    printFailures(outcomes, io);
  }
  const started = exitCodeOf(outcomes);
  if (started !== exitCodes.ok) return started;
  const unhealthy = servers.filter((row) => !isHealthy(row, named));
  if (unhealthy.some(({ waitsForConsent }) => waitsForConsent)) return exitCodes.config;
  return unhealthy.length === 0 ? exitCodes.ok : exitCodes.failed;
}

/** A stopped server is unhealthy only if it was named. */
function isHealthy({ name, state, health }: ServerRow, named: readonly string[] | undefined): boolean {
  if (state === 'stopped') return named?.includes(name) !== true;
  return state === 'running' && health === 'healthy';
}

function printFailures(outcomes: readonly ServerOutcome[], io: Io): void {
  const { dim } = stylesFor(io.stderr, io);
  for (const outcome of outcomes) {
    if (outcome.status === 'done') continue;
    printNote(printable(outcome.error.message), io);
    for (const detail of outcome.error.details) printNote(dim(`  ${printable(detail)}`), io);
    if (outcome.error.code === 'launch-refused') printNote(trustHint, io);
  }
}

interface LogsOptions extends CommonOptions {
  /** Exactly one. */
  readonly servers: readonly string[];
  readonly follow?: boolean;
  readonly lines: number;
}

/** Prints stderr lines and log messages of a server; without a daemon those that the last one stored. */
export async function logs(options: LogsOptions, io: Io): Promise<ExitCode> {
  const { lines, json } = options;
  const [server, ...others] = options.servers;
  if (server === undefined || others.length > 0) {
    throw new UsageError('"mcpx logs" needs the name of one server.', {
      hint: 'Run "mcpx logs --events" to see what happened to all servers.',
    });
  }
  await using control = await openControl(options, io);
  const { signal } = io;
  const isDaemon = (await control.daemonInfo({ signal })) !== undefined;
  const follow = isDaemon && options.follow === true; // without a daemon no server can write
  let last: LogLine | undefined;
  for await (const each of control.logs({ server, follow, lines, signal })) {
    last = each;
    if (json) printJsonLine({ server, ...each }, io);
    else printLine(each, io);
  }
  if (!isDaemon) printNote(last ? oldLines(last) : noLines(server), io);
  else if (!last && lines > 0 && !json)
    printNote(`${printableLine(server, 60)} has written nothing to stderr and sent no log messages.`, io);
  return exitCodes.ok;
}

function printLine(each: LogLine, io: Io): void {
  const { at, missed = 0 } = each;
  const { dim } = stylesFor(io.stdout, io);
  if (missed > 0) io.stdout.write(`${dim(`… ${missed} lines were dropped`)}\n`);
  io.stdout.write(`${at === undefined ? '' : dim(`${at} `)}${printable(lineText(each)).replaceAll('\n', ' ')}\n`);
}

function oldLines({ at = '' }: LogLine): string {
  return `No daemon is running for this config. These lines end at ${at}. Run "mcpx up" to start a daemon.`;
}

function noLines(server: string): string {
  return `No daemon is running for this config, and there are no stored lines of ${printableLine(server, 60)}. Run "mcpx up" to start one.`;
}

/** Prints what a server declares in its handshake. Starts it if necessary. */
export async function capabilities(options: CommonOptions & { readonly server: string }, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  await using _logs = showLogs(control, options.verbose ? [options.server] : [], io);
  const report = await fetchReport(control, options, io);
  if (options.json) {
    printJson(report, io);
    return exitCodes.ok;
  }
  printCapabilities(report, io);
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
