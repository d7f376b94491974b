import {
  type ApplyReport,
  type ClientManager,
  type ClientManagerOptions,
  createClientManager,
  type ManagedServer,
} from '@x/mcp-client-manager';
import type { Redactor } from '@x/mcp-config-schema';
import { type LoadedConfig, userConfigDirectory } from '@x/mcp-config-schema/load';
import { createSecretLookup, type SecretLookup } from '@x/mcp-config-schema/secrets';
import type { Fleet } from '@x/mcp-fleet';
import {
  createMemoryPinStore,
  createRegistry,
  type PinStore,
  type Registry,
  type RegistryOptions,
} from '@x/mcp-registry';
import { createPinFile } from '@x/mcp-registry/node';
import packageJson from '../package.json' with { type: 'json' };
import { ConsentGate, type ConsentTurn } from './consent/consent-gate.js';
import { ConsentStore } from './consent/consent-store.js';
import type { LaunchToConfirm } from './consent/launches.js';
import { trustsEverything } from './consent/trusts-everything.js';
import { entryPins } from './entry-pins.js';
import { PlacedServers } from './fleet/placed-servers.js';
import { deeperEnvironment, refuseNesting } from './gateway-depth.js';
import { HiddenSecrets } from './hidden-secrets.js';
import { hideAll } from './hide-all.js';
import type { Io } from './io.js';
import { type Reading, type ReadOptions, readConfig, readRules, requireServer } from './read-config.js';
import { type RuleChanges, ruleChanges } from './rule-changes.js';
import { signIns } from './signing-in/sign-ins.js';
import { type Trust, type TrustChange, type TrustPlace, writeTrust } from './trust-file.js';

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
   * @param options.trust - Agrees to everything that the config runs then, as `trustNow` does. Default `false`.
   * @throws {ConfigError} It has errors. Everything is as it was then.
   */
  reload(options?: { readonly trust?: boolean | undefined }): Promise<ApplyReport & RuleChanges>;
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
   * Offers the servers to a fleet, as the config places them, and has what other nodes offer in `registry`. `expected`: not
   * yet, but what the fleet runs once is no longer this node's own. `undefined`: everything is. Does not own the fleet.
   */
  setFleet(fleet: Fleet | 'expected' | undefined): Promise<void>;
  /** Whether `server` is kept down until the user agrees to what it runs. */
  waitsForConsent(server: string): boolean;
  /** Agrees to these servers, or all, as the config declares them now. Lasts as long as the stack, and is not stored. */
  trustNow(servers?: readonly string[]): void;
  /** Keys of the launches that `trustNow` agreed to. */
  readonly trustedNow: readonly string[];
  /** Whether `server` may be started because it is wanted: not when a fleet decides who runs it. */
  runsHere(server: string): boolean;
}

export interface StackOptions extends ReadOptions {
  readonly audit?: RegistryOptions['audit'];
  /**
   * Announced to servers as what this client can do, because those that it calls for can. Default: nothing, and in a fleet
   * what gateways of other nodes pass on to their clients.
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
  /** Keys of launches that are agreed to, or `all` of the config at the start. Default: `all` with `MCPX_TRUST=1`, otherwise none. */
  readonly trusted?: 'all' | readonly string[] | undefined;
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
  const stack = new OpenStack(await readConfig(options, io), await userConfigDirectory(), options, io);
  // Until they are read, no tool is there that needs an approval. That they cannot be read is told where they are shown.
  await stack.registry.pins.ready.catch(() => undefined);
  return stack;
}

class OpenStack implements Stack {
  readonly manager: ClientManager;
  readonly registry: Registry;
  readonly #options: StackOptions;
  readonly #io: StackIo;
  readonly #hidden: HiddenSecrets;
  readonly #secrets: SecretLookup;
  readonly #gate: ConsentGate;
  readonly #placed: PlacedServers;
  #reading: Reading;
  #calls = { underWay: 0 };
  #changing: Promise<unknown> = Promise.resolve();

  constructor(reading: Reading, userDirectory: string | undefined, options: StackOptions, io: StackIo) {
    const { cwd, env, stateDirectory, signal } = io;
    const { trusted = trustsEverything(env) ? 'all' : [], askConsent: ask } = options;
    this.#options = options;
    this.#io = io;
    this.#reading = reading;
    this.#hidden = new HiddenSecrets(reading.redactor);
    this.#secrets = createSecretLookup({ env, signal });
    const store = new ConsentStore(stateDirectory);
    this.#gate = new ConsentGate(reading.config, { cwd, userDirectory, store, trusted, ask });
    this.manager = this.#createManager();
    this.registry = createRegistry({
      roles: reading.config.roles,
      knownServers: namesIn(reading.config),
      audit: options.audit,
      trust: reading.trust,
      redact: (value) => this.redactor.redactData(value),
      pinStore: pinStoreAt(reading.place, (server) => this.#reading.entries.get(server)),
    });
    this.#placed = new PlacedServers({ manager: this.manager, registry: this.registry, config: () => this.config });
  }

  get config(): LoadedConfig {
    return this.#reading.config;
  }

  get redactor(): Redactor {
    return hideAll([this.#hidden.redactor, this.#secrets.redactor]);
  }

  get trust(): Trust {
    return this.#reading.trust;
  }

  get trustFiles(): readonly string[] {
    const { place } = this.#reading;
    return place === undefined ? [] : [place.trustFile, place.pinFile];
  }

  async duringCall<Result>(call: () => Promise<Result>): Promise<Result> {
    const held = this.#calls;
    held.underWay += 1;
    try {
      return await call();
    } finally {
      held.underWay -= 1;
    }
  }

  reload({ trust = false }: { readonly trust?: boolean | undefined } = {}): Promise<ApplyReport & RuleChanges> {
    return this.#inTurn(async () => {
      const next = await readConfig(this.#options, this.#io);
      const before = this.#reading;
      const turn = this.#turnTo(next);
      if (trust) this.#gate.trust();
      await this.#readPins(); // before a changed entry can list anything: approvals of the one before are not its own
      const withdrawn = turn.withdrawn().filter((name) => hasStarted(this.manager.server(name)));
      await this.#restart(withdrawn); // the gate refuses; a server whose launch is the same would run on
      const report = await this.manager.apply({ servers: next.servers }).catch(async (error: unknown) => {
        turn.undo();
        await this.#readPins();
        await this.#restart(withdrawn);
        throw error;
      });
      turn.done();
      await this.#placed.follow();
      await this.#readPins();
      return { ...report, ...ruleChanges(before, next) };
    });
  }

  reloadRules(): Promise<RuleChanges> {
    return this.#inTurn(async () => {
      const before = this.#reading;
      const next = await readRules(before, this.#options, this.#io);
      this.#apply(next);
      await this.#readPins();
      return ruleChanges(before, next);
    });
  }

  setTrust(change: TrustChange): Promise<void> {
    return this.#inTurn(async () => {
      const trust = await writeTrust(this.#reading.place, change, this.#reading.entries);
      this.#reading = { ...this.#reading, trust };
      this.registry.update({ trust });
    });
  }

  setFleet(fleet: Fleet | 'expected' | undefined): Promise<void> {
    return this.#inTurn(() => this.#placed.setFleet(fleet));
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
    await this.registry.close();
  }

  #createManager(): ClientManager {
    const { auth, capabilities, callTimeoutMs, logDirectory } = this.#options;
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
      },
    );
  }

  /**
   * Takes on everything of `next` but its servers. These may take long to stop, and a role must not keep its tools so long.
   *
   * @returns To be called when the servers have followed, or could not.
   */
  #turnTo(next: Reading): ConsentTurn {
    const before = this.#reading;
    const held = this.#calls;
    const undoHiding = this.#hidden.turnTo(next.redactor, () => held.underWay === 0);
    const turn = this.#gate.turnTo(next.config);
    this.#apply(next);
    return {
      withdrawn: turn.withdrawn,
      done: () => {
        turn.done();
        this.#calls = { underWay: 0 };
      },
      undo: () => {
        undoHiding();
        turn.undo();
        this.#apply(before);
      },
    };
  }

  async #restart(servers: readonly string[]): Promise<void> {
    await Promise.allSettled(servers.map((name) => this.manager.server(name).restart()));
  }

  #apply(reading: Reading): void {
    const { config, trust } = reading;
    this.registry.update({ roles: config.roles, trust, knownServers: namesIn(config) });
    this.#reading = reading;
  }

  /** That they cannot be read is told where they are shown. */
  #readPins(): Promise<void> {
    return this.registry.pins.reload().catch(() => undefined);
  }

  /** One change after the other: the attached servers follow from those that were offered. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#changing.then(work, work);
    this.#changing = result.catch(() => undefined); // the caller gets the failure
    return result;
  }
}

function namesIn({ servers }: Pick<LoadedConfig, 'servers'>): readonly string[] {
  return servers.map(({ name }) => name);
}

function hasStarted({ status: { state } }: ManagedServer): boolean {
  return state !== 'stopped' && state !== 'failed';
}

function pinStoreAt(place: TrustPlace | undefined, entryOf: (server: string) => string | undefined): PinStore {
  return place === undefined ? createMemoryPinStore() : entryPins(createPinFile({ path: place.pinFile }), entryOf);
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
