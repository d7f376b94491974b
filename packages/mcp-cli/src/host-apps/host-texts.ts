import { dirname } from 'node:path';
import { fileVersion } from '@x/internal/files';
import { canonicalJson } from '@x/internal/json';
import { checkConfig } from '@x/mcp-config-schema';
import type { GivenTexts } from '@x/mcp-config-schema/load';
import { escapeTemplate } from '@x/mcp-config-schema/templates';
import { type HostInfo, type HostPlace, listHosts } from '@x/mcp-host-sync';
import { readText } from '@x/mcp-host-sync/edit';
import type { Io } from '../command.js';
import { hostEntry, type ServerEntry } from '../writing-config/host-entry.js';
import { withoutInputs } from '../writing-config/without-secrets.js';
import { withWorkspaceFolder } from '../writing-config/workspace-folder.js';
import { type AppReading, type AppReadings, appReader, filePaths } from './app-readings.js';
import { hostFailure, hostPlace } from './hosts.js';

/** Servers of host apps, in place of a config. */
export interface HostTexts extends GivenTexts {
  readonly leftOut: readonly LeftOut[];
}

export interface LeftOut {
  readonly file: string;
  /** Absent if it concerns the whole file. */
  readonly server?: string | undefined;
  readonly reason: string;
}

interface HostTextsIo extends Pick<Io, 'cwd' | 'env'> {
  /** Directory with host apps' files of a project. */
  readonly project?: string | undefined;
}

/**
 * Reads the servers of host apps as they are, and again only after a file has changed. Writes nothing. A file that has
 * become faulty keeps the servers that it had.
 *
 * @param hosts - Ids, families or short names. Empty: all that have a file here.
 */
export function hostTextReader(hosts: readonly string[], { cwd, env, project }: HostTextsIo): () => Promise<HostTexts> {
  const place = project === undefined ? hostPlace({ cwd, env }, 'user') : hostPlace({ cwd: project, env }, 'project');
  const read = appReader(place);
  let known: { readonly apps: readonly HostInfo[]; readonly paths: readonly string[] } | undefined;
  let last: { readonly key: string; readonly texts: HostTexts } | undefined;
  return async () => {
    known ??= filesOf(appsNamed(hosts), place);
    const { apps, paths } = known;
    const versions = paths.map(async (path) => [path, await fileVersion(path)]);
    const key = JSON.stringify(await Promise.all(versions));
    if (last?.key !== key) last = { key, texts: await textsOf(await read(apps), { place, paths, env }) };
    return last.texts;
  };
}

function filesOf(apps: readonly HostInfo[], place: HostPlace) {
  return { apps, paths: apps.flatMap((app) => filePaths(app, place)) };
}

/** Files of the user first, so that a clone cannot take the name of a server of the user. */
function appsNamed(names: readonly string[]): readonly HostInfo[] {
  const known = listHosts().toSorted((one, other) => rankOf(one) - rankOf(other));
  if (names.length === 0) return known;
  try {
    const ids = new Set(known.map(({ id }) => id));
    const families = new Set(listHosts(names.filter((name) => !ids.has(name))).map(({ family }) => family));
    return known.filter(({ id, family }) => names.includes(id) || families.has(family));
  } catch (error) {
    throw hostFailure(error);
  }
}

function rankOf({ scope }: HostInfo): number {
  return scope === 'project' ? 1 : 0;
}

interface FoundServer {
  readonly name: string;
  readonly app: HostInfo;
  readonly file: string;
  readonly entry: ServerEntry;
  readonly isDisabled: boolean;
}

async function textsOf(
  apps: AppReadings,
  { place, paths, env }: { readonly place: HostPlace; readonly paths: readonly string[]; readonly env: Io['env'] },
): Promise<HostTexts> {
  const leftOut: LeftOut[] = [...apps.faults];
  const found = apps.readings.flatMap((reading) => serversOf(reading, place, leftOut));
  const sound = withoutFaults(found, env, leftOut);
  const named = withOwnNames(sound, apps);
  const files = [...new Set(named.map(({ file }) => file))];
  const texts = files.map(async (file) => {
    const servers = named.filter((server) => server.file === file);
    const isOfProject = servers.every(({ app }) => app.scope === 'project');
    const root = isOfProject ? place.project : place.home;
    const text = await textOf(file, servers);
    return { path: file, layer: isOfProject ? 'project' : 'user', root: root ?? dirname(file), text } as const;
  });
  return { texts: await Promise.all(texts), paths, leftOut };
}

function serversOf(
  { app, file, servers, gateway, issues }: AppReading,
  place: HostPlace,
  leftOut: LeftOut[],
): readonly FoundServer[] {
  for (const { server, message, severity } of issues)
    if (severity === 'error') leftOut.push({ file, server, reason: message });
  for (const server of gateway) leftOut.push({ file, server, reason: 'it is mcpx itself' });
  const folder = app.scope === 'project' ? place.project : undefined;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: no folder is open for servers of the user, which run once for all
  const open = folder === undefined ? '${WORKSPACE_FOLDER}' : escapeTemplate(folder);
  const entries = servers.map((server) => [server.name, withWorkspaceFolder(hostEntry(server), open)] as const);
  const filled = withoutInputs(Object.fromEntries(entries));
  return servers.flatMap(({ name, enabled = true, disabled = false }) => {
    const entry = Object.hasOwn(filled, name) ? filled[name] : undefined;
    return entry === undefined ? [] : [{ name, app, file, entry, isDisabled: disabled || !enabled }];
  });
}

/** A server that a config cannot express must not make the others unusable. */
function withoutFaults(found: readonly FoundServer[], env: Io['env'], leftOut: LeftOut[]): readonly FoundServer[] {
  // One check for the servers of an app is quicker than one for each server.
  const isSound = (app: HostInfo): boolean =>
    faultIn(
      found.filter((each) => each.app === app),
      env,
    ) === undefined;
  const sound = new Set([...new Set(found.map(({ app }) => app))].filter(isSound));
  return found.filter((server) => {
    if (sound.has(server.app)) return true;
    const fault = faultIn([server], env);
    if (fault !== undefined) leftOut.push({ file: server.file, server: server.name, reason: fault });
    return fault === undefined;
  });
}

/** The first error in a config of these servers, whose names differ. */
function faultIn(servers: readonly FoundServer[], env: Io['env']): string | undefined {
  const entries = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const text = JSON.stringify({ mcp_servers: entries });
  const { issues } = checkConfig({ text, file: 'servers.json' }, { variables: env, unsetVariables: 'warning' });
  return issues.find(({ severity }) => severity === 'error')?.message;
}

/** Names in files of the user, also of entries that are left out. */
function userNames(readings: readonly AppReading[]): ReadonlySet<string> {
  const ofUser = readings.filter(({ app }) => rankOf(app) === 0);
  return new Set(
    ofUser.flatMap(({ servers, gateway, issues }) => [
      ...[...servers.map(({ name }) => name), ...gateway],
      ...issues.flatMap(({ server }) => server ?? []),
    ]),
  );
}

/**
 * Servers with equal launches are one server, under its first name. Of different servers with one name, all but the first
 * get the name of their app, too; and so does each server of a project that may have the name of one of the user.
 */
function withOwnNames(
  found: readonly FoundServer[],
  { readings, areUserNamesKnown }: AppReadings,
): readonly FoundServer[] {
  const launches = new Set<string>();
  const names = new Set<string>();
  const ofUser = userNames(readings);
  // An app that has disabled a server does not disable that of another app.
  const rank = ({ app, isDisabled }: FoundServer): number => 2 * rankOf(app) + Number(isDisabled);
  return found
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((server) => {
      const launch = canonicalJson(server.entry);
      if (launches.has(launch)) return [];
      launches.add(launch);
      const isOfProject = server.app.scope === 'project';
      const taken = isOfProject ? new Set([...names, ...ofUser]) : names;
      const mayBeTaken = taken.has(server.name) || (isOfProject && !areUserNamesKnown);
      const name = mayBeTaken ? nameWithApp(server, taken) : server.name;
      names.add(name);
      return [{ ...server, name }];
    });
}

const maxNameLength = 128;

function nameWithApp({ name, app: { family } }: FoundServer, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? `-${family}` : `-${family}-${number}`;
    const start = name.slice(0, maxNameLength - suffix.length).replace(/[\uD800-\uDBFF]$/, ''); // half a character
    if (!taken.has(start + suffix)) return start + suffix;
  }
}

/** Each server stands on the line of its entry in the file, so that messages name that line. */
async function textOf(file: string, servers: readonly FoundServer[]): Promise<string> {
  const lines = ((await readText(file).catch(() => undefined)) ?? '').split('\n');
  const placed = servers.map((server) => ({ server, line: lineOf(server.name, lines) }));
  let text = '{"mcp_servers":{';
  let line = 1;
  let separator = '';
  for (const { server, line: wanted } of placed.toSorted((one, other) => one.line - other.line)) {
    const { name, entry, isDisabled } = server;
    const written = { ...entry, auto_start: true, ...(isDisabled && { disabled: true }) };
    text += `${separator}${'\n'.repeat(Math.max(wanted - line, 0))}${JSON.stringify(name)}:${JSON.stringify(written)}`;
    line = Math.max(line, wanted);
    separator = ',';
  }
  return `${text}}}\n`;
}

/** The names of the servers in one of the texts. */
export function namesIn(text: string): readonly string[] {
  return Object.keys((JSON.parse(text) as { mcp_servers: object }).mcp_servers);
}

/** The first line with the name as a key; 1 without one. */
function lineOf(name: string, lines: readonly string[]): number {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const key = new RegExp(`["'.\\s]?${escaped}["']?\\s*[:\\]]`);
  return lines.findIndex((line) => key.test(line)) + 1 || 1;
}
