import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import type { Control } from '../control/control.js';
import { controlErrorData, isControlError } from '../control/control-error.js';
import type { DiscoveryReport, ServerOutcome, ServerRow } from '../control/reports.js';
import { offeredByOthers } from '../fleet/fleet-report.js';
import { openControl } from '../open-control.js';
import { printNote } from '../output/fit.js';
import { trackStarts } from '../output/live/start-tracker.js';
import { counted, printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { toolLines } from '../output/table.js';
import { namedRows, serversWithoutTools } from '../servers/server-rows.js';
import { requireAnyStarted, showLogs, startServers } from '../servers/start-servers.js';

interface SearchOptions extends CommonOptions {
  readonly query: string;
  readonly regex?: boolean;
  readonly role?: string;
  readonly server?: string;
  readonly limit: number;
  readonly refresh?: boolean;
}

/** Searches the known tools of all servers like `search_mcp_tools`. Starts servers only with `--refresh`. */
export async function search(options: SearchOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { query, regex: useRegex = false, role, server, limit, refresh, json } = options;
  const { signal } = io;
  if (refresh) await refreshTools(control, options, io);
  const { unusable = [], ...result } = await control.search({
    request: { query, useRegex, limit, include: 'known', ...(server !== undefined && { server }) },
    role,
    signal,
  });
  const report = await control.status({ signal });
  const { fleet } = report;
  // The tools of another node are known completely or not at all.
  const isElsewhere = server !== undefined && fleet !== undefined && offeredByOthers(fleet).includes(server);
  const rows = isElsewhere ? [] : namedRows(report, server === undefined ? [] : [server]);
  const unknown = serversWithoutTools(rows).filter((name) => !unusable.includes(name));
  if (json) {
    printJson({ ...result, notSearched: unknown }, io);
    return exitCodes.ok;
  }
  if (result.tools.length > 0) io.stdout.write(toolLines(result.tools, io));
  io.stdout.write(`${result.returned} of ${result.total} ${result.total === 1 ? 'match' : 'matches'}\n`);
  const isAnyKnown = isElsewhere || rows.some((row) => !unknown.includes(row.name) && !row.disabled);
  if (result.hint !== undefined && isAnyKnown) printNote(printable(result.hint), io);
  if (!isElsewhere) printUnknown(unknown, rows, { ...options, isAnyKnown, verb: 'search' }, io);
  return exitCodes.ok;
}

interface UnknownOptions {
  readonly server?: string | undefined;
  readonly refresh?: boolean | undefined;
  readonly isAnyKnown: boolean;
  readonly verb: 'list' | 'search';
}

function printUnknown(
  unknown: readonly string[],
  rows: readonly ServerRow[],
  { isAnyKnown, verb, ...options }: UnknownOptions,
  io: Io,
): void {
  if (rows.length === 0) printNote('The config has no servers, so there are no tools.', io);
  if (unknown.length === 0) return;
  const names = printableLine(unknown.join(', '), 300);
  const what = isAnyKnown
    ? `Not ${verb}ed, because their tools are unknown: ${names}.`
    : `There are no tools to ${verb}, because no server has listed its tools: ${names}.`;
  printNote(
    `${what} ${refreshAdvice(
      rows.filter(({ name }) => unknown.includes(name)),
      options,
    )}`,
    io,
  );
}

/** After a refresh the failures are already on stderr. */
function refreshAdvice(
  rows: readonly ServerRow[],
  { server, refresh }: Pick<UnknownOptions, 'server' | 'refresh'>,
): string {
  const discover = `run "mcpx discover ${printableLine(rows[0]?.name ?? '', 60)}"`;
  if (refresh || (server === undefined && !rows.some(mayStart))) return `To list the tools of one, ${discover}.`;
  if (server !== undefined) return 'Add --refresh to start it and list its tools.';
  return `Add --refresh to start those with auto_start, or ${discover} for one of them.`;
}

/** @throws {ControlError} No server could list its tools; see `requireAnyStarted`. */
async function refreshTools(
  control: Control,
  { server, json = false, verbose = false }: CommonOptions & Pick<SearchOptions, 'server'>,
  io: Io,
): Promise<void> {
  const { signal } = io;
  const { servers } = await control.status({ signal });
  const wanted = server === undefined ? servers.filter(mayStart).map(({ name }) => name) : [server];
  const running = servers.flatMap((row) => (isRunning(row) && wanted.includes(row.name) ? [row.name] : []));
  const stopped = wanted.filter((name) => !running.includes(name)); // a start lists the tools
  const results = await Promise.all([
    startServers(control, stopped, { verbose, json }, io),
    ...running.map((name) => listTools(control, name, io)),
  ]);
  requireAnyStarted(results.flat(), { json }, io);
}

async function listTools(control: Control, server: string, { signal }: Io): Promise<ServerOutcome> {
  try {
    await control.discover({ server, signal });
    return { server, status: 'done' };
  } catch (error) {
    if (!isControlError(error)) throw error;
    return { server, status: 'failed', error: controlErrorData(error) };
  }
}

function mayStart(row: ServerRow): boolean {
  return !row.disabled && (row.autoStart || isRunning(row));
}

function isRunning({ state }: ServerRow): boolean {
  return state === 'running' || state === 'degraded';
}

/** Lists the known tools of all servers. Starts servers only with `--refresh`. */
export async function listKnown(options: CommonOptions & Pick<SearchOptions, 'refresh'>, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { refresh, json } = options;
  if (refresh) await refreshTools(control, options, io);
  const { readKnownTools } = await import('../servers/known-tools.js');
  const { tools: known, unusable } = await readKnownTools(control, undefined, io);
  const tools = known.filter(({ server }) => server !== undefined); // not the search itself
  const rows = namedRows(await control.status({ signal: io.signal }), []);
  const unknown = serversWithoutTools(rows).filter((name) => !unusable.includes(name));
  if (json) {
    printJson({ tools, notListed: unknown }, io);
    return exitCodes.ok;
  }
  if (tools.length > 0) io.stdout.write(toolLines(sortedByName(tools), io));
  io.stdout.write(`${counted(tools.length, 'tool')}\n`);
  const isAnyKnown = rows.some((row) => !unknown.includes(row.name) && !row.disabled);
  printUnknown(unknown, rows, { refresh, isAnyKnown, verb: 'list' }, io);
  return exitCodes.ok;
}

interface DiscoverCommandOptions extends CommonOptions {
  readonly server: string;
  readonly refresh?: boolean;
}

/** Lists the tools of one server, from the cache unless `--refresh` is given. */
export async function discover(options: DiscoverCommandOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  await using _logs = showLogs(control, options.verbose ? [options.server] : [], io);
  const { json } = options;
  const report = await requestTools(control, options, io);
  const { server, tools, problems, cachedAt } = report;
  if (json) {
    printJson(report, io);
    return exitCodes.ok;
  }
  const { bold } = stylesFor(io.stdout, io);
  io.stdout.write(`${bold(printableLine(server, 60))} offers ${counted(tools.length, 'tool')}\n`);
  io.stdout.write(toolLines(sortedByName(tools), io));
  if (cachedAt !== undefined) {
    const when = new Date(cachedAt).toISOString();
    printNote(`Listed at ${when}. "mcpx discover ${printableLine(server, 60)} --refresh" requests a new list.`, io);
  }
  for (const problem of problems) printNote(`warning: ${printable(problem)}`, io);
  return exitCodes.ok;
}

function sortedByName<Tool extends { readonly name: string }>(tools: readonly Tool[]): readonly Tool[] {
  return tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function requestTools(
  control: Control,
  { server, refresh = false, ...options }: DiscoverCommandOptions,
  io: Io,
): Promise<DiscoveryReport> {
  using tracker = trackStarts(io, options);
  return await control.discover({ server, signal: io.signal, onStep: tracker.onStep, remembered: !refresh });
}
