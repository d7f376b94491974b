import {
  type ApplyReport,
  type ClientManager,
  type ClientManagerOptions,
  createClientManager,
  type ManagedServer,
  ManagerError,
} from '@x/mcp-client-manager';
import type { Config, Redactor, ServerConfig } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { createSecretLookup } from '@x/mcp-config-schema/secrets';
import type { Fleet } from '@x/mcp-fleet';
import { createRegistry, type Registry, type RegistryOptions, type RegistryView } from '@x/mcp-registry';
import { createPinFile } from '@x/mcp-registry/node';
import packageJson from '../package.json' with { type: 'json' };
import { UsageError } from './exit-codes.js';
import { isShared, placementsOf, SharedServers } from './fleet/shared-servers.js';
import { HiddenSecrets } from './hidden-secrets.js';
import { hideAll } from './hide-all.js';
import type { Io } from './io.js';
import { didYouMean } from './output/nearest-name.js';
import { type FilledRegistry, ReplaceableRegistry } from './replaceable-registry.js';
import { serverLogDirectory } from './server-log-directory.js';
import { signIns } from './signing-in/sign-ins.js';
import { readTrust, type Trust, type TrustPlace, trustPlace, writeTrust } from './trust-file.js';

/**
 * The three libraries joined: what the config names, running or not, and what may be used of it. What `config`,
 * `registry`, `redactor` and `trust` are changes with `reload` and `setTrust`, so none of them is to be kept.
 */
export interface Stack extends AsyncDisposable {
  readonly config: Config;
  readonly manager: ClientManager;
  readonly registry: Registry;
  /** Runs `work` over the registry as it is now, to its end, also when another one takes its place meanwhile. */
  useRegistry<Result>(work: (registry: Registry) => Promise<Result>): Promise<Result>;
  /** Stars out the secrets that servers were given so far. */
  readonly redactor: Redactor;
  /** Which tools need an approval before they are there. */
  readonly trust: Trust;
  /**
   * Reads the config again. Servers that are to be run in another way are started anew, the others run on.
   *
   * @throws {ConfigError} It has errors. Everything is as it was then.
   */
  reload(): Promise<ApplyReport>;
  /**
   * Keeps another `trust` and goes by it.
   *
   * @throws {UsageError} There is no directory to keep it in.
   */
  setTrust(trust: Trust): Promise<void>;
  /**
   * Offers the servers to a fleet, as the config places them, and has what other hosts offer in `registry`. `expected`: not
   * yet, but what the fleet runs once is no longer this host's own. `undefined`: everything is. Does not own the fleet.
   */
  setFleet(fleet: Fleet | 'expected' | undefined): Promise<void>;
  /** Whether `server` may be started because it is wanted: not when a fleet decides who runs it. */
  runsHere(server: string): boolean;
}

export interface StackOptions {
  readonly config?: readonly string[] | undefined;
  /** These servers alone, which may then be started whatever the config says. Default, and if empty: all. */
  readonly servers?: readonly string[];
  /** Leaves out servers that a fleet runs once: its daemon is where they run. Default `false`. */
  readonly withoutSingletons?: boolean;
  readonly audit?: RegistryOptions['audit'];
  /**
   * Announced to servers as what this client can do, because those that it calls for can. Default: nothing, and in a fleet
   * what gateways of other hosts pass on to their clients.
   */
  readonly capabilities?: ClientManagerOptions['capabilities'];
  /** Signs in to servers that ask for it. Default: with what `mcpx login` has kept. */
  readonly auth?: ClientManagerOptions['auth'];
  /** Longest wait for a call's result in milliseconds. Default: the manager's own. */
  readonly callTimeoutMs?: number;
  /**
   * Where what servers write to stderr goes when the config does not say it. An absolute path. Default: nowhere; a command
   * that is run once should not leave a folder in every project.
   */
  readonly logDirectory?: string | undefined;
}

type StackIo = Pick<Io, 'cwd' | 'env' | 'stateDirectory' | 'keyStore' | 'signal'>;

/**
 * Loads the config and joins manager and registry over it. Spawns no server and looks up no secret: that is done for each
 * server when it starts.
 *
 * @throws {ConfigError} The config is missing or wrong.
 * @throws {ManagerError} `unknown-server`.
 */
export async function openStack(options: StackOptions, io: StackIo): Promise<Stack> {
  let reading = await readConfig(options, io);
  const hidden = new HiddenSecrets(reading.redactor);
  const secrets = createSecretLookup({ env: io.env, root: io.cwd, signal: io.signal });
  const redactor = (): Redactor => hideAll([hidden.redactor, secrets.redactor]);
  let passedOn: Readonly<Record<string, unknown>> = {};
  const manager = createClientManager(
    { servers: reading.servers },
    {
      clientInfo: { name: 'mcpx', version: packageJson.version },
      environment: { ...io.env },
      stateDirectory: io.stateDirectory,
      logDirectory: serverLogDirectory(reading.config, options.logDirectory),
      redact: (text) => redactor().redact(text),
      resolveSecret: secrets.resolveSecret,
      auth: options.auth ?? signIns(io),
      capabilities: options.capabilities ?? (() => passedOn),
      callTimeoutMs: options.callTimeoutMs,
    },
  );
  let fleet: SharedServers | 'expected' | undefined;
  const open = (): Promise<FilledRegistry> => openRegistry(reading, { manager, fleet, audit: options.audit });
  const registry = new ReplaceableRegistry(await open());
  const replaceRegistry = async (): Promise<void> => registry.replace(await open());
  // One after the other: what is attached follows from what was offered.
  let changing: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = changing.then(work, work);
    changing = result.catch(() => undefined); // told to whoever asked for it
    return result;
  };
  const offer = async (): Promise<void> => {
    if (fleet instanceof SharedServers) await fleet.follow(manager.servers(), placementsOf(reading.config));
  };

  return {
    manager,
    get config() {
      return reading.config;
    },
    get registry() {
      return registry.current;
    },
    useRegistry: (work) => registry.use(work),
    get redactor() {
      return redactor();
    },
    get trust() {
      return reading.trust;
    },
    reload: () =>
      inTurn(async () => {
        const next = await readConfig(options, io);
        const earlier = registry.current;
        const undo = hidden.turnTo(next.redactor, () => !registry.isUsed(earlier));
        const report = await manager.apply({ servers: next.servers }).catch((error: unknown) => {
          undo();
          throw error;
        });
        reading = next;
        await offer();
        await replaceRegistry();
        return report;
      }),
    setTrust: (trust) =>
      inTurn(async () => {
        await writeTrust(reading.place, trust);
        reading = { ...reading, trust };
        await replaceRegistry();
      }),
    setFleet: (next) =>
      inTurn(async () => {
        passedOn = next === undefined ? {} : (await import('@x/mcp-registry/server')).gatewayCapabilities;
        fleet = next === undefined || next === 'expected' ? next : new SharedServers(next);
        await offer();
        await replaceRegistry();
      }),
    runsHere: (server) => {
      if (fleet === undefined || placementsOf(reading.config)(server) !== 'singleton') return true;
      return fleet !== 'expected' && fleet.holds(server);
    },
    [Symbol.asyncDispose]: async () => {
      await manager.close();
      await registry.close();
    },
  };
}

/** All that is read before servers and their tools are joined over it. */
interface Reading {
  readonly config: Config;
  /** Those that are managed. */
  readonly servers: readonly ServerConfig[];
  readonly redactor: Redactor;
  readonly place: TrustPlace | undefined;
  readonly trust: Trust;
}

async function readConfig(
  {
    config: files,
    servers: names = [],
    withoutSingletons = false,
  }: Pick<StackOptions, 'config' | 'servers' | 'withoutSingletons'>,
  { cwd, env, stateDirectory }: StackIo,
): Promise<Reading> {
  const config = await loadConfig({ cwd, env, ...(files && { files }) });
  const servers = chosen(config.servers, names).filter(
    ({ placement }) => !withoutSingletons || placement !== 'singleton',
  );
  const place = trustPlace(stateDirectory, config.files);
  return { config, servers, redactor: config.redactor, place, trust: await readTrust(place) };
}

interface RegistryParts extends Pick<StackOptions, 'audit'> {
  readonly manager: ClientManager;
  readonly fleet: SharedServers | 'expected' | undefined;
}

async function openRegistry(
  { config, place, trust }: Reading,
  { manager, fleet, audit }: RegistryParts,
): Promise<FilledRegistry> {
  const pinStore = place && createPinFile({ path: place.pinFile });
  const registry = createRegistry({ roles: config.roles, audit, trust, pinStore });
  const placementOf = placementsOf(config);
  for (const server of manager.servers()) {
    const placement = placementOf(server.name);
    const isOfFleet = fleet === 'expected' ? placement === 'singleton' : fleet !== undefined && isShared(placement);
    if (!isOfFleet) registry.attach(server);
  }
  const others = fleet instanceof SharedServers ? fleet.fleet.attachTo(registry, { own: false }) : undefined;
  // Until they are read, no tool is there that needs an approval. That they cannot be read is told where they are shown.
  await registry.pins.ready.catch(() => undefined);
  return { registry, others };
}

/**
 * What one role may see; everything without a role.
 *
 * @throws {UsageError} The config knows no such role. A library would show nothing; a person made a typing mistake.
 */
export function viewFor(
  { registry, config }: Pick<Stack, 'registry' | 'config'>,
  role: string | undefined,
): RegistryView {
  if (role === undefined) return registry;
  requireRole(config, role);
  return registry.view({ role });
}

/** @throws {UsageError} The config knows no such role. */
export function requireRole({ roles: rules }: Pick<Config, 'roles'>, role: string): void {
  const roles = [...new Set(rules.map((rule) => rule.role))];
  if (roles.includes(role)) return;
  const known = roles.length > 0 ? `Roles in the config: ${roles.join(', ')}.` : 'The config has no role_restrictions.';
  throw new UsageError(`No role is named "${role}".`, { hint: `${didYouMean(role, roles)}${known}` });
}

/**
 * The server of that name.
 *
 * @throws {ManagerError} `unknown-server`, with the name that may have been meant.
 */
export function serverNamed({ manager }: Pick<Stack, 'manager'>, name: string): ManagedServer {
  requireServer(manager.servers(), name);
  return manager.server(name);
}

/** Whoever names a server wants it started. */
function chosen(servers: readonly ServerConfig[], names: readonly string[]): readonly ServerConfig[] {
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
