import { sequence, withResolvers } from '@x/internal/async';
import { combineRedactors, HiddenSecrets } from '@x/internal/secrets';
import {
  type ApplyReport,
  type ClientManager,
  type ClientManagerOptions,
  createClientManager,
  type ManagedServer,
} from '@x/mcp-client-manager';
import type { Redactor } from '@x/mcp-config-schema';
import {
  type ConsentGate,
  type ConsentStore,
  type ConsentTransition,
  createConsentGate,
  createConsentStore,
  type LaunchPlace,
  type LaunchToConfirm,
  launchesToConfirm,
} from '@x/mcp-config-schema/consent';
import {
  type ConfigWatch,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
  userConfigDirectory,
} from '@x/mcp-config-schema/load';
import { createSecretLookup, type SecretLookup } from '@x/mcp-config-schema/secrets';
import type { Fleet } from '@x/mcp-fleet';
import { createRegistry, type Registry, type RegistryOptions } from '@x/mcp-registry';
import { createPinFile } from '@x/mcp-registry/node';
import { createMemoryPinStore, type PinStore } from '@x/mcp-registry/trust';
import packageJson from '../package.json' with { type: 'json' };
import { CallApprovals } from './approvals/call-approvals.js';
import type { Io } from './command.js';
import { configSource } from './config/config-source.js';
import { type Reading, type ReadOptions, readConfig, requireServer } from './config/read-config.js';
import { type RuleChanges, ruleChanges } from './config/rule-changes.js';
import {
  entryPins,
  readTrust,
  type Trust,
  type TrustChange,
  type TrustPaths,
  writeTrust,
} from './config/trust-file.js';
import { trustsEverything } from './consent/obtain-consent.js';
import { PlacedServers } from './fleet/placed-servers.js';
import { deeperEnvironment, refuseNesting } from './servers/gateway-depth.js';
import { signIns } from './signing-in/sign-ins.js';

/** Config, client manager and registry combined. Reloads replace `config`, `redactor` and `trust`: do not keep these. */
export interface Stack extends AsyncDisposable {
  readonly config: LoadedConfig;
  /** How the files are found and read. Files of host apps are read again only after a change. */
  readonly source: LoadOptions;
  readonly manager: ClientManager;
  readonly registry: Registry;
  /** Answers for the calls that `ask_before` of a role names. */
  readonly approvals: CallApprovals;
  /** Start of relative file names in `config`. */
  readonly cwd: string;
  /** Environment whose PATH has the programs of servers. */
  readonly env: Io['env'];
  /** Runs a call. Secrets of the current config stay redacted until the call ends, even after a reload. */
  duringCall<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Redacts all secrets that servers have received. */
  readonly redactor: Redactor;
  readonly trust: Trust;
  /**
   * Reads the config again and restarts servers whose launch changed. Roles, trust and new servers apply at once; the
   * promise resolves when changed and removed servers have ended. Another reload does not wait for that.
   *
   * @param options.trust - Gives consent to all launches. Default `false`.
   * @param options.config - The content of the files. Default: reads them.
   * @param options.onSwitched - Called when the config is in effect, before changed and removed servers have ended.
   * @throws {ConfigError} The config has errors; nothing changes.
   */
  reload(options?: {
    readonly trust?: boolean | undefined;
    readonly config?: LoadedConfig | undefined;
    readonly onSwitched?: ((changes: Omit<ApplyReport, 'failures'> & RuleChanges) => void) | undefined;
  }): Promise<ApplyReport & RuleChanges>;
  /** What `reload` of that config would do with the servers and rules now. Changes nothing. */
  planReload(config: LoadedConfig): Promise<ReloadPlan>;
  /** Reads modes of trust and approvals again and applies them. @returns True if the modes have changed. */
  reloadTrust(): Promise<boolean>;
  /**
   * Stores and applies the user's decision about trust.
   *
   * @throws {UsageError} There is no state directory.
   */
  setTrust(change: TrustChange): Promise<void>;
  /**
   * Offers servers to a fleet by their placement and adds the tools of other nodes to `registry`. Does not close the
   * fleet. `expected`: singletons stay down until there is a fleet. `undefined`: all servers run here.
   */
  setFleet(fleet: Fleet | 'expected' | undefined): Promise<void>;
  waitsForConsent(server: string): boolean;
  /** Gives consent to the current launches of these servers, by default all, for the life of the stack. */
  trustNow(servers?: readonly string[]): void;
  /** Keys of the launches with consent by `trustNow`. */
  readonly trustedNow: readonly string[];
  /** False for a singleton that this node does not run. */
  runsHere(server: string): boolean;
}

export interface ReloadPlan {
  readonly report: Omit<ApplyReport, 'failures'> & RuleChanges;
  /** All servers, as they would be. */
  readonly servers: Reading['servers'];
  /** Launches with consent that would need it again. */
  readonly losesConsent: readonly LaunchToConfirm[];
}

interface StackOptions extends ReadOptions {
  /** Watch of the files, whose first item is read in place of them. Then `followConfig` follows it. */
  readonly watch?: ConfigWatch | undefined;
  readonly audit?: RegistryOptions['audit'];
  readonly interceptors?: RegistryOptions['interceptors'];
  /** True if calls may wait for an answer from another process. Default `false`: refused if no user can be asked. */
  readonly holdsCalls?: boolean;
  /** Capabilities declared to servers. Default: none; in a fleet those that gateways of other nodes forward. */
  readonly capabilities?: ClientManagerOptions['capabilities'];
  /** Signs in to servers. Default: with the tokens of `mcpx login`. */
  readonly auth?: ClientManagerOptions['auth'];
  /** Time limit of a call in milliseconds. Default: the manager's own. */
  readonly callTimeoutMs?: number;
  readonly telemetry?: ClientManagerOptions['telemetry'];
  /** Absolute path of server logs if the config names none. Default: none, so that commands leave no folder behind. */
  readonly logDirectory?: string | undefined;
  /** Prompts for consent before a server of a project starts. Default: launches without consent are refused. */
  readonly askConsent?: ((launch: LaunchToConfirm) => Promise<boolean>) | undefined;
  /** Keys of launches with consent, or `all` of the initial config. Default: `all` with `MCPX_TRUST=1`, else none. */
  readonly trusted?: 'all' | readonly string[] | undefined;
}

type StackIo = Pick<Io, 'cwd' | 'env' | 'stateDirectory' | 'keyStore' | 'signal'>;

/** A last resort: served clients have timeouts of their own, and a call that they give up is cancelled. */
export const servedCallTimeoutMs = 3_600_000;

/**
 * Loads the config and creates manager and registry. Resolves no secret before a server starts.
 *
 * @throws {ConfigError} The config is missing or invalid.
 * @throws {ManagerError} `unknown-server`.
 */
export async function openStack(options: StackOptions, io: StackIo): Promise<Stack> {
  refuseNesting(io.env, 'command');
  const source = options.source ?? configSource(options.config, io);
  const first = options.watch && (await firstConfig(options.watch, source));
  const reading = await readConfig({ ...options, source }, io, first);
  const stack = new OpenStack(reading, await userConfigDirectory(), { ...options, source }, io);
  // Tools that need an approval are hidden until the pins are read. Commands that show pins report read errors.
  await stack.registry.pins.ready.catch(() => undefined);
  return stack;
}

/** @throws {ConfigError} The config is missing or invalid. */
async function firstConfig(watch: ConfigWatch, source: LoadOptions): Promise<LoadedConfig> {
  const { value } = await watch.next();
  return value?.config ?? (await loadConfig(source)); // says what is wrong
}

class OpenStack implements Stack {
  readonly manager: ClientManager;
  readonly registry: Registry;
  readonly approvals: CallApprovals;
  readonly source: LoadOptions;
  readonly #options: StackOptions;
  readonly #io: StackIo;
  readonly #hidden: HiddenSecrets;
  readonly #secrets: SecretLookup;
  readonly #consents: LaunchPlace & { readonly store: ConsentStore };
  readonly #gate: ConsentGate;
  readonly #placed: PlacedServers;
  #reading: Reading;
  #calls = { inProgress: 0 };
  readonly #inSequence = sequence();

  constructor(
    reading: Reading,
    userDirectory: string | undefined,
    options: StackOptions & Pick<Stack, 'source'>,
    io: StackIo,
  ) {
    const { cwd, env, stateDirectory, signal } = io;
    const { trusted = trustsEverything(env) ? 'all' : [], askConsent: ask } = options;
    this.source = options.source;
    this.#options = options;
    this.#io = io;
    this.#reading = reading;
    this.#hidden = new HiddenSecrets(reading.redactor);
    this.#secrets = createSecretLookup({ env, signal });
    this.#consents = { cwd, userDirectory, store: createConsentStore(stateDirectory) };
    this.#gate = createConsentGate(reading.config, { ...this.#consents, trusted, ask });
    this.manager = this.#createManager();
    this.approvals = new CallApprovals({
      holdsCalls: options.holdsCalls ?? false,
      redact: (text) => this.redactor.redact(text),
      redactData: (data) => this.redactor.redactData(data),
    });
    this.registry = createRegistry({
      roles: reading.config.roles,
      knownServers: namesIn(reading.config),
      audit: options.audit,
      interceptors: options.interceptors,
      approval: this.approvals.byRole,
      trust: reading.trust,
      redact: (value) => this.redactor.redactData(value),
      pinStore: pinStoreAt(reading.trustPaths, (server) => this.#reading.entries.get(server)),
    });
    this.#placed = new PlacedServers({ manager: this.manager, registry: this.registry, config: () => this.config });
  }

  get config(): LoadedConfig {
    return this.#reading.config;
  }

  get cwd(): string {
    return this.#io.cwd;
  }

  get env(): Io['env'] {
    return this.#io.env;
  }

  get redactor(): Redactor {
    return combineRedactors([this.#hidden.redactor, this.#secrets.redactor]);
  }

  get trust(): Trust {
    return this.#reading.trust;
  }

  async duringCall<Result>(call: () => Promise<Result>): Promise<Result> {
    const calls = this.#calls;
    calls.inProgress += 1;
    try {
      return await call();
    } finally {
      calls.inProgress -= 1;
    }
  }

  async reload({
    trust = false,
    config,
    onSwitched = () => undefined,
  }: Parameters<Stack['reload']>[0] = {}): Promise<ApplyReport & RuleChanges> {
    const { ended, changes, done } = await this.#inSequence(async () => {
      const next = await readConfig(this.#options, this.#io, config);
      const before = this.#reading;
      const transition = this.#switchTo(next);
      if (trust) this.#gate.trust();
      await this.#readPins(); // before a changed entry lists tools, because approvals of the previous entry do not apply to it
      const restart = transition.withdrawn(); // which the gate refuses
      const { promise, resolve } = withResolvers<Omit<ApplyReport, 'failures'>>();
      const applied = this.manager.apply({ servers: next.servers }, { restart, onSwitched: resolve });
      const switched = await Promise.race([promise, applied]).catch(async (error: unknown) => {
        transition.undo();
        await this.#readPins();
        throw error;
      });
      transition.switched();
      const changes = ruleChanges(before, next);
      onSwitched({ ...switched, ...changes });
      const placed = this.#placed.update().then(() => this.#readPins());
      return { ended: Promise.all([applied, placed]), changes, done: transition.done };
    });
    const [report] = await ended.finally(done);
    return { ...report, ...changes };
  }

  async planReload(config: LoadedConfig): Promise<ReloadPlan> {
    const next = await readConfig(this.#options, this.#io, config);
    const { failures, ...report } = await this.manager.apply({ servers: next.servers }, { dryRun: true });
    const gate = createConsentGate(next.config, { ...this.#consents, trusted: this.#gate.trusted });
    const before = new Set(namesIn(this.config));
    const losesConsent = [...launchesToConfirm(next.config, this.#consents).values()].filter(
      ({ server }) => before.has(server) && gate.isWaiting(server) && !this.#gate.isWaiting(server),
    );
    return { report: { ...report, ...ruleChanges(this.#reading, next) }, servers: next.servers, losesConsent };
  }

  reloadTrust(): Promise<boolean> {
    return this.#inSequence(async () => {
      const before = this.#reading;
      const next = { ...before, trust: await readTrust(before.trustPaths, before.entries) };
      this.#apply(next);
      await this.#readPins();
      return ruleChanges(before, next).trust;
    });
  }

  setTrust(change: TrustChange): Promise<void> {
    return this.#inSequence(async () => {
      const trust = await writeTrust(this.#reading.trustPaths, change, this.#reading.entries);
      this.#reading = { ...this.#reading, trust };
      this.registry.update({ trust });
    });
  }

  setFleet(fleet: Fleet | 'expected' | undefined): Promise<void> {
    return this.#placed.setFleet(fleet);
  }

  waitsForConsent(server: string): boolean {
    return this.#gate.isWaiting(server);
  }

  trustNow(servers?: readonly string[]): void {
    this.#gate.trust(servers);
  }

  get trustedNow(): readonly string[] {
    return this.#gate.trusted;
  }

  runsHere(server: string): boolean {
    return this.#placed.runsHere(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.close();
    this.#placed[Symbol.dispose]();
    this.approvals[Symbol.dispose]();
    await this.registry.close();
  }

  #createManager(): ClientManager {
    const { auth, capabilities, callTimeoutMs, logDirectory, telemetry } = this.#options;
    return createClientManager(
      { servers: this.#reading.servers },
      {
        clientInfo: { name: 'mcpx', version: packageJson.version },
        environment: deeperEnvironment(this.#io.env),
        stateDirectory: this.#io.stateDirectory,
        logDirectory,
        redact: (text) => this.redactor.redact(text),
        resolveSecret: this.#secrets.resolveSecret,
        confirmLaunch: this.#gate.confirm,
        allowHealthCall: (call) => !this.registry.pins.holdsTool(call),
        auth: auth ?? signIns(this.#io),
        capabilities: capabilities ?? (() => this.#placed.capabilities),
        callTimeoutMs,
        telemetry,
      },
    );
  }

  /** Applies all of `next` but its servers, which may take long to stop: roles must change before. */
  #switchTo(next: Reading): ConsentTransition & { readonly switched: () => void } {
    const before = this.#reading;
    const calls = this.#calls;
    let isDone = false;
    const undoHiding = this.#hidden.switchTo(next.redactor, () => isDone && calls.inProgress === 0);
    const transition = this.#gate.switchTo(next.config);
    this.#apply(next);
    return {
      withdrawn: transition.withdrawn,
      // Later calls are sent to no server of the previous config.
      switched: () => {
        this.#calls = { inProgress: 0 };
      },
      done: () => {
        isDone = true;
        transition.done();
      },
      undo: () => {
        undoHiding();
        transition.undo();
        this.#apply(before);
      },
    };
  }

  #apply(reading: Reading): void {
    const { config, trust } = reading;
    this.registry.update({ roles: config.roles, trust, knownServers: namesIn(config) });
    this.#reading = reading;
  }

  #readPins(): Promise<void> {
    return this.registry.pins.reload().catch(() => undefined);
  }
}

function namesIn({ servers }: Pick<LoadedConfig, 'servers'>): readonly string[] {
  return servers.map(({ name }) => name);
}

function pinStoreAt(paths: TrustPaths | undefined, entryOf: (server: string) => string | undefined): PinStore {
  return paths === undefined ? createMemoryPinStore() : entryPins(createPinFile({ path: paths.pinFile }), entryOf);
}

/** @throws {ManagerError} `unknown-server`, with a suggestion. */
export function serverNamed({ manager }: Pick<Stack, 'manager'>, name: string): ManagedServer {
  requireServer(manager.servers(), name);
  return manager.server(name);
}
