import {
  type ApplyReport,
  type ClientManager,
  type ClientManagerOptions,
  createClientManager,
  type ManagedServer,
  ManagerError,
} from '@x/mcp-client-manager';
import type { Config, Redactor, ServerConfig } from '@x/mcp-config-schema';
import { isGatewayServer } from '@x/mcp-config-schema/hosts';
import { type LoadedConfig, loadConfig, userConfigDirectory } from '@x/mcp-config-schema/load';
import { createSecretLookup } from '@x/mcp-config-schema/secrets';
import type { Fleet } from '@x/mcp-fleet';
import {
  createMemoryPinStore,
  createRegistry,
  type PinStore,
  type Registry,
  type RegistryOptions,
  type RegistryView,
} from '@x/mcp-registry';
import { createPinFile } from '@x/mcp-registry/node';
import packageJson from '../package.json' with { type: 'json' };
import { AttachedServers } from './attached-servers.js';
import { ConsentGate } from './consent/consent-gate.js';
import { ConsentStore } from './consent/consent-store.js';
import { entriesOf, type LaunchToConfirm } from './consent/launches.js';
import { entryPins } from './entry-pins.js';
import { UsageError } from './exit-codes.js';
import { isShared, placementsOf, SharedServers } from './fleet/shared-servers.js';
import { deeperEnvironment, refuseNesting } from './gateway-depth.js';
import { HiddenSecrets } from './hidden-secrets.js';
import { hideAll } from './hide-all.js';
import type { Io } from './io.js';
import { didYouMean } from './output/did-you-mean.js';
import { type RuleChanges, ruleChanges } from './rule-changes.js';
import { serverLogDirectory } from './server-log-directory.js';
import { signIns } from './signing-in/sign-ins.js';
import {
  type Entries,
  readTrust,
  type Trust,
  type TrustChange,
  type TrustPlace,
  trustPlace,
  writeTrust,
} from './trust-file.js';

/**
 * The three libraries joined: what the config names, running or not, and what may be used of it. What `config`, `redactor`
 * and `trust` are changes with `reload`, `reloadRules` and `setTrust`, so none of them is to be kept.
 */
export interface Stack extends AsyncDisposable {
  readonly config: LoadedConfig;
  readonly manager: ClientManager;
  readonly registry: Registry;
  /** Runs a call. Secrets of the config that holds when it begins stay hidden until it ends. */
  duringCall<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Stars out the secrets that servers were given so far. */
  readonly redactor: Redactor;
  /** Which tools need an approval before they are there. */
  readonly trust: Trust;
  /** Where `trust` and the approvals are kept. */
  readonly trustFiles: readonly string[];
  /**
   * Reads the config again. Servers that are to be run in another way are started anew, the others run on. Roles and trust
   * hold for everything that is served.
   *
   * @throws {ConfigError} It has errors. Everything is as it was then.
   */
  reload(): Promise<ApplyReport & RuleChanges>;
  /**
   * Reads roles, trust and approvals again, and applies them. Leaves the servers alone, and reports no settings.
   *
   * @throws {ConfigError} The config has errors. Everything is as it was then.
   */
  reloadRules(): Promise<RuleChanges>;
  /**
   * Keeps what the user decides about trust and goes by it.
   *
   * @throws {UsageError} There is no directory to keep it in.
   */
  setTrust(change: TrustChange): Promise<void>;
  /**
   * Offers the servers to a fleet, as the config places them, and has what other hosts offer in `registry`. `expected`: not
   * yet, but what the fleet runs once is no longer this host's own. `undefined`: everything is. Does not own the fleet.
   */
  setFleet(fleet: Fleet | 'expected' | undefined): Promise<void>;
  /** Whether `server` is kept down until the user agrees to what it runs. */
  waitsForConsent(server: string): boolean;
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
  /**
   * Asks the user whether a server of a project may start, when it is about to. Left out: what the user has not agreed to
   * is refused.
   */
  readonly askConsent?: ((launch: LaunchToConfirm) => Promise<boolean>) | undefined;
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
  refuseNesting(io.env, 'command');
  let reading = await readConfig(options, io);
  const hidden = new HiddenSecrets(reading.redactor);
  const secrets = createSecretLookup({ env: io.env, signal: io.signal });
  const gate = new ConsentGate(reading.config, {
    cwd: io.cwd,
    env: io.env,
    userDirectory: await userConfigDirectory(),
    store: new ConsentStore(io.stateDirectory),
    ask: options.askConsent,
  });
  const redactor = (): Redactor => hideAll([hidden.redactor, secrets.redactor]);
  let passedOn: Readonly<Record<string, unknown>> = {};
  const manager = createClientManager(
    { servers: reading.servers },
    {
      clientInfo: { name: 'mcpx', version: packageJson.version },
      environment: deeperEnvironment(io.env),
      stateDirectory: io.stateDirectory,
      logDirectory: serverLogDirectory(reading.config, options.logDirectory),
      redact: (text) => redactor().redact(text),
      resolveSecret: secrets.resolveSecret,
      confirmLaunch: gate.confirm,
      auth: options.auth ?? signIns(io),
      capabilities: options.capabilities ?? (() => passedOn),
      callTimeoutMs: options.callTimeoutMs,
    },
  );
  let fleet: SharedServers | 'expected' | undefined;
  const registry = createRegistry({
    roles: reading.config.roles,
    audit: options.audit,
    trust: reading.trust,
    pinStore: pinStoreAt(reading.place, (server) => reading.entries.get(server)),
  });
  const attached = new AttachedServers(registry);
  const ownServers = (): readonly ManagedServer[] => {
    const placementOf = placementsOf(reading.config);
    return manager.servers().filter(({ name }) => {
      const placement = placementOf(name);
      return fleet === 'expected' ? placement !== 'singleton' : fleet === undefined || !isShared(placement);
    });
  };
  attached.add(ownServers());
  manager.events.on('servers-changed', () => attached.keepOnly(ownServers()));
  let others: Disposable | undefined;
  // Until they are read, no tool is there that needs an approval. That they cannot be read is told where they are shown.
  await registry.pins.ready.catch(() => undefined);
  let calls = { underWay: 0 };
  // One after the other: what is attached follows from what was offered.
  let changing: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = changing.then(work, work);
    changing = result.catch(() => undefined); // told to whoever asked for it
    return result;
  };
  /** What is no longer this host's own leaves before the fleet has it, and the other way round. */
  const share = async (): Promise<void> => {
    attached.keepOnly(ownServers());
    if (fleet instanceof SharedServers) await fleet.follow(manager.servers(), placementsOf(reading.config));
    attached.add(ownServers());
  };
  const applyRules = ({ config, trust }: Reading): void => registry.update({ roles: config.roles, trust });
  // That they cannot be read is told where they are shown.
  const readPins = (): Promise<void> => registry.pins.reload().catch(() => undefined);

  return {
    manager,
    get config() {
      return reading.config;
    },
    registry,
    duringCall: async (call) => {
      const held = calls;
      held.underWay += 1;
      try {
        return await call();
      } finally {
        held.underWay -= 1;
      }
    },
    get redactor() {
      return redactor();
    },
    get trust() {
      return reading.trust;
    },
    get trustFiles() {
      return reading.place === undefined ? [] : [reading.place.trustFile, reading.place.pinFile];
    },
    reload: () =>
      inTurn(async () => {
        const next = await readConfig(options, io);
        const before = reading;
        const held = calls;
        const undo = hidden.turnTo(next.redactor, () => held.underWay === 0);
        const turn = gate.turnTo(next.config);
        // First, because servers may take long to stop, and what a role has lost must not wait for them.
        applyRules(next);
        reading = next;
        await readPins(); // before a changed entry can list anything: approvals of the one before are not its own
        const report = await manager.apply({ servers: next.servers }).catch(async (error: unknown) => {
          undo();
          turn.undo();
          applyRules(before);
          reading = before;
          await readPins();
          throw error;
        });
        turn.done();
        calls = { underWay: 0 };
        await share();
        await readPins();
        return { ...report, ...ruleChanges(before, next) };
      }),
    reloadRules: () =>
      inTurn(async () => {
        const before = reading;
        const [{ roles }, trust] = await Promise.all([loadFiles(options, io), readTrust(before.place, before.entries)]);
        const rules = { ...before, config: { ...before.config, roles }, trust };
        applyRules(rules);
        reading = rules;
        await readPins();
        return ruleChanges(before, rules);
      }),
    setTrust: (change) =>
      inTurn(async () => {
        const trust = await writeTrust(reading.place, change, reading.entries);
        reading = { ...reading, trust };
        registry.update({ trust });
      }),
    setFleet: (next) =>
      inTurn(async () => {
        passedOn = next === undefined ? {} : (await import('@x/mcp-registry/server')).gatewayCapabilities;
        others?.[Symbol.dispose]();
        fleet = next === undefined || next === 'expected' ? next : new SharedServers(next);
        await share();
        others = fleet instanceof SharedServers ? fleet.fleet.attachTo(registry, { own: false }) : undefined;
      }),
    waitsForConsent: (server) => gate.isWaiting(server),
    runsHere: (server) => {
      if (fleet === undefined || placementsOf(reading.config)(server) !== 'singleton') return true;
      return fleet !== 'expected' && fleet.holds(server);
    },
    [Symbol.asyncDispose]: async () => {
      await manager.close();
      others?.[Symbol.dispose]();
      await registry.close();
    },
  };
}

/** All that is read before servers and their tools are joined over it. */
interface Reading {
  readonly config: LoadedConfig;
  /** Those that are managed. */
  readonly servers: readonly ServerConfig[];
  readonly redactor: Redactor;
  readonly place: TrustPlace | undefined;
  readonly entries: Entries;
  readonly trust: Trust;
}

function loadFiles({ config: files }: Pick<StackOptions, 'config'>, { cwd, env }: Pick<StackIo, 'cwd' | 'env'>) {
  return loadConfig({ cwd, env, ...(files && { files }) });
}

async function readConfig(
  {
    config: files,
    servers: names = [],
    withoutSingletons = false,
  }: Pick<StackOptions, 'config' | 'servers' | 'withoutSingletons'>,
  { cwd, env, stateDirectory }: StackIo,
): Promise<Reading> {
  const config = await loadFiles({ config: files }, { cwd, env });
  const own = config.servers.filter((server) => !isGatewayServer(server));
  const servers = chosen(own, names).filter(({ placement }) => !withoutSingletons || placement !== 'singleton');
  const place = trustPlace(stateDirectory);
  const entries = entriesOf(config, { cwd });
  return { config, servers, redactor: config.redactor, place, entries, trust: await readTrust(place, entries) };
}

function pinStoreAt(place: TrustPlace | undefined, entryOf: (server: string) => string | undefined): PinStore {
  return place === undefined ? createMemoryPinStore() : entryPins(createPinFile({ path: place.pinFile }), entryOf);
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
