import { relative } from 'node:path';
import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { configNames } from '../config/config-names.js';
import { hasConfig, homeDirectory, hostProject } from '../config/find-project.js';
import { noteUnusedFiles } from '../config/unused-files.js';
import type { ServerRow } from '../control/reports.js';
import type { LeftOut } from '../host-apps/host-texts.js';
import { openControl } from '../open-control.js';
import { printNote } from '../output/fit.js';
import { printableLine, printJson, stylesFor } from '../output/print.js';
import { noServers, serverTable } from '../output/server-table.js';
import { namedRows } from '../servers/server-rows.js';

/** Starts no server. Says also which entries of host apps cannot be used. */
export async function list(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const servers = namedRows(await control.status({ signal: io.signal }), options.servers);
  const leftOut = await leftOutOf(options, servers, io);
  if (options.json) {
    printJson({ servers, ...(leftOut && { leftOut }) }, io);
    return exitCodes.ok;
  }
  noteUnusedFiles(options.config, io);
  const shown = servers.map((row) => ({ ...row, file: row.file && shortPath(row.file, io.cwd) }));
  const table = { ...stylesFor(io.stdout, io), command: 'list', stream: io.stdout } as const;
  io.stdout.write(serverTable(shown, table));
  if (shown.length === 0) printNote(noServers, io);
  for (const { file, server, reason } of leftOut ?? []) {
    const what = server === undefined ? shortPath(file, io.cwd) : `${server} (${shortPath(file, io.cwd)})`;
    printNote(`left out ${printableLine(`${what}: ${reason}`, 500)}`, io);
  }
  if (leftOut && configNames(options.config).hosts.length === 0) {
    printNote(
      'There is no config, so these are the servers of your host apps. Run "mcpx init --from all" to write a config of your own.',
      io,
    );
  }
  return exitCodes.ok;
}

/** Entries of host apps that cannot be used, or are replaced by the config; `undefined` for a config alone. */
async function leftOutOf(
  { config }: CommonOptions,
  rows: readonly ServerRow[],
  io: Io,
): Promise<readonly LeftOut[] | undefined> {
  const { files, hosts } = configNames(config);
  if (hosts.length === 0 && (files.length > 0 || hasConfig(io))) return;
  const { hostTextReader, namesIn } = await import('../host-apps/host-texts.js');
  const { texts, leftOut } = await hostTextReader(hosts, { ...io, project: hostProject(io.cwd, homeDirectory()) })();
  const replaced = texts.flatMap(({ path, text }) =>
    namesIn(text).flatMap((server) => {
      const used = rows.find(({ name }) => name === server)?.file;
      if (used === undefined || used === path) return [];
      return [{ file: path, server, reason: `${shortPath(used, io.cwd)} has a server of this name, which is used` }];
    }),
  );
  return [...leftOut, ...replaced];
}

/** Relative to the working directory if it is below, else to the home. */
function shortPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  if (!inside.startsWith('..')) return inside;
  const home = homeDirectory();
  const inHome = home === undefined ? '..' : relative(home, path);
  return inHome.startsWith('..') ? path : `~/${inHome}`;
}
