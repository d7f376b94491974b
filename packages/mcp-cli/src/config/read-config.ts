import { isGatewayServer, startsRemoteGateway } from '@x/internal/launch';
import { ManagerError } from '@x/mcp-client-manager';
import type { Redactor, ServerConfig } from '@x/mcp-config-schema';
import { entriesOf, inRealDirectories } from '@x/mcp-config-schema/consent';
import { type LoadedConfig, type LoadOptions, loadConfig } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import { didYouMean } from '../output/print.js';
import { configSource } from './config-source.js';
import { type Entries, readTrust, type Trust, type TrustPaths, trustPaths } from './trust-file.js';

/** The config and the user's decisions about it at one time. */
export interface Reading {
  readonly config: LoadedConfig;
  /** Servers for the manager. */
  readonly servers: readonly ServerConfig[];
  readonly redactor: Redactor;
  readonly trustPaths: TrustPaths | undefined;
  readonly entries: Entries;
  readonly trust: Trust;
}

export interface ReadOptions {
  readonly config?: readonly string[] | undefined;
  /** How the files are found and read. Default: by the words of `config`. */
  readonly source?: LoadOptions | undefined;
  /** The content of the files. Default: reads them. */
  readonly loaded?: LoadedConfig | undefined;
  /** Only these servers, which may then start regardless of `auto_start`. Default, and if empty: all. */
  readonly servers?: readonly string[];
  /** Omits servers that a fleet runs once, because they run in its daemons. Default `false`. */
  readonly withoutSingletons?: boolean;
  /** Starts `eager` servers with the stack. Default `false`. */
  readonly startsEager?: boolean;
  /** Omits gateways of other machines, because this process serves one itself. Default `false`. */
  readonly isNested?: boolean;
}

type ReadIo = Pick<Io, 'cwd' | 'env' | 'stateDirectory'>;

/**
 * @param changed - The content of the files, in place of `loaded`.
 * @throws {ConfigError} The config is missing or invalid.
 * @throws {ManagerError} `unknown-server`.
 */
export async function readConfig(
  {
    config: files,
    source,
    loaded,
    servers: names = [],
    withoutSingletons = false,
    startsEager = false,
    isNested = false,
  }: ReadOptions,
  io: ReadIo,
  changed = loaded,
): Promise<Reading> {
  const config = await inRealDirectories(changed ?? (await loadConfig(source ?? configSource(files, io))));
  const own = config.servers.filter((server) => !isGatewayServer(server) && !(isNested && startsRemoteGateway(server)));
  const servers = selectServers(own, names)
    .filter(({ placement }) => !withoutSingletons || placement !== 'singleton')
    .map((server) => ({ ...server, eager: server.eager && startsEager && server.placement !== 'singleton' }));
  const paths = trustPaths(io.stateDirectory);
  const entries = entriesOf(config);
  return {
    config,
    servers,
    redactor: config.redactor,
    trustPaths: paths,
    entries,
    trust: await readTrust(paths, entries),
  };
}

function selectServers(servers: readonly ServerConfig[], names: readonly string[]): readonly ServerConfig[] {
  for (const name of names) requireServer(servers, name);
  if (names.length === 0) return servers;
  return servers.filter(({ name }) => names.includes(name)).map((server) => ({ ...server, autoStart: true }));
}

/** @throws {ManagerError} `unknown-server`. */
export function requireServer(servers: readonly { readonly name: string }[], name: string): void {
  if (servers.some((server) => server.name === name)) return;
  const names = servers.map((server) => server.name);
  const known = names.map((each) => `"${each}"`).join(', ') || 'none';
  throw new ManagerError(
    'unknown-server',
    `No server is named "${name}". ${didYouMean(name, names)}Configured: ${known}.`,
    { server: name },
  );
}
