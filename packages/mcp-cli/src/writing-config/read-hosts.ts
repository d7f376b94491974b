import { isDeepStrictEqual } from 'node:util';
import { checkConfig } from '@x/mcp-config-schema';
import {
  type HostInput,
  type HostPlace,
  type HostReading,
  type HostServer,
  isHostFileError,
  readHost,
} from '@x/mcp-host-sync';
import { hostFailure } from '../host-apps/hosts.js';
import { hostEntry, type ServerEntry } from './host-entry.js';
import { hasOnlyKnownExpressions, type RemovedSecret, withoutSecrets } from './without-secrets.js';
import { withWorkspaceFolder } from './workspace-folder.js';

/** Servers of host apps in the form of a config: secrets are references, invalid servers are omitted. */
export interface ImportedServers {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** Source file of each server. */
  readonly origins: Readonly<Record<string, string>>;
  readonly secrets: readonly RemovedSecret[];
  readonly skipped: readonly SkippedServer[];
  /** Settings of imported servers that `servers` lacks. */
  readonly warnings: readonly ImportWarning[];
  /** How host apps ask for the values of `secrets`, if they do. */
  readonly prompts: ReadonlyMap<RemovedSecret, HostInput>;
}

export interface SkippedServer {
  readonly host: string;
  /** Absent if it concerns the whole file. */
  readonly server?: string | undefined;
  readonly reason: string;
}

/** Names keys, never values. */
interface ImportWarning {
  readonly host: string;
  readonly server: string;
  readonly message: string;
}

/** @throws {CommandError} A name is no host app, or the file of the only named one cannot be read. */
export async function readHosts(hosts: readonly string[], place: HostPlace): Promise<ImportedServers> {
  const skipped: SkippedServer[] = [];
  const readings: HostReading[] = [];
  for (const host of hosts) {
    try {
      readings.push(await readHost(host, place));
    } catch (error) {
      if (!isHostFileError(error) || hosts.length === 1 || error.code === 'unknown-host') throw hostFailure(error);
      skipped.push({ host, reason: error.message });
    }
  }
  const { entries, origins, warnings } = firstOfEachName(readings, skipped);
  const promptOf = promptsIn(readings, origins);
  const { servers, secrets } = withoutSecrets(entries, (server, input) => promptOf(server, input)?.description);
  const faults = faultsIn(servers);
  for (const [server, reason] of faults) skipped.push({ host: origins[server] ?? '', server, reason });
  const keep = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !faults.has(name)));
  const kept = secrets.filter(({ server }) => !faults.has(server));
  return {
    servers: keep(servers),
    origins: keep(origins),
    secrets: kept,
    skipped,
    warnings: warnings.filter(({ server }) => !faults.has(server)),
    prompts: new Map(
      kept.flatMap((secret) => {
        const prompt = secret.input === undefined ? undefined : promptOf(secret.server, secret.input);
        return prompt === undefined ? [] : [[secret, prompt] as const];
      }),
    ),
  };
}

function promptsIn(readings: readonly HostReading[], origins: Readonly<Record<string, string>>) {
  return (server: string, input: string): HostInput | undefined =>
    readings.find(({ file }) => file === origins[server])?.inputs?.find(({ id }) => id === input);
}

interface Merged {
  readonly entries: Record<string, ServerEntry>;
  readonly origins: Record<string, string>;
  readonly warnings: readonly ImportWarning[];
}

function firstOfEachName(readings: readonly HostReading[], skipped: SkippedServer[]): Merged {
  const entries = new Map<string, ServerEntry>();
  const origins = new Map<string, string>();
  const warnings: ImportWarning[] = [];
  for (const { host, file, exists, servers, gateway, issues } of readings) {
    if (!exists) skipped.push({ host, reason: `there is no ${file}` });
    for (const { server, message, severity } of issues)
      if (severity === 'error') skipped.push({ host, server, reason: message });
    for (const server of gateway) skipped.push({ host, server, reason: 'it is mcpx itself' });
    for (const server of servers) {
      const written = hostEntry(server);
      const entry = withWorkspaceFolder(written, '{{root}}');
      const known = entries.get(server.name);
      const reason =
        server.enabled === false
          ? 'it is disabled there'
          : known && !isDeepStrictEqual(known, entry)
            ? `another server of that name is in ${origins.get(server.name)}`
            : undefined;
      if (reason !== undefined) skipped.push({ host, server: server.name, reason });
      else if (!known) {
        entries.set(server.name, entry);
        origins.set(server.name, file);
        // Inputs become variables, and the open folder the root of the project, so nothing is lost.
        const kept = hasOnlyKnownExpressions(written) ? issues.filter(({ code }) => code !== 'host-variable') : issues;
        warnings.push(...warningsOf(server, host, kept));
      }
    }
  }
  return { entries: Object.fromEntries(entries), origins: Object.fromEntries(origins), warnings };
}

function warningsOf(
  { name, timeoutMs }: HostServer,
  host: string,
  issues: HostReading['issues'],
): readonly ImportWarning[] {
  const own = issues.filter(({ server, severity }) => server === name && severity === 'warning');
  const messages = own.map(({ message }) => message);
  if (timeoutMs !== undefined) messages.push('The time limit of calls is not imported');
  return messages.map((message) => ({ host, server: name, message }));
}

/** Invalid servers by name with their first fault. A remaining secret is one. */
function faultsIn(servers: Readonly<Record<string, ServerEntry>>): ReadonlyMap<string, string> {
  const { issues } = checkConfig(
    { text: JSON.stringify({ mcp_servers: servers }), places: { root: '/' } },
    { variables: 'keep' },
  );
  const faults = new Map<string, string>();
  for (const { severity, code, path, message } of issues) {
    const server = path[1];
    if (typeof server !== 'string' || (severity !== 'error' && code !== 'inline-secret')) continue;
    if (!faults.has(server)) faults.set(server, message);
  }
  return faults;
}
