import { resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { combineRedactors, createRedactor, HiddenSecrets, type Redactor } from '@x/internal/secrets';
import type { ClientManagerOptions, ConfirmLaunch, ServerSpecs } from '@x/mcp-client-manager';
import type { ConsentGate, ConsentTransition } from '@x/mcp-config-schema/consent';
import type { LoadedConfig, LoadOptions } from '@x/mcp-config-schema/load';
import { ConfigError, createSecretLookup } from '@x/mcp-config-schema/secrets';
import type { RoleRules } from '@x/mcp-registry';
import type { OpenToolsOptions } from './options.js';
import type { ConfigFailure, ToolsChanges } from './tools.js';

/** A configuration for the manager and the registry. */
export type AppliedConfig = ServerSpecs & {
  readonly given: ToolsChanges;
  readonly roles: RoleRules;
  readonly knownServers: readonly string[];
  readonly redactor: Redactor;
  /** The files; `undefined` for servers of the program. */
  readonly loaded: LoadedConfig | undefined;
};

const remedy =
  'Run "npx mcpx trust" in its project, pass "consent" to openTools to ask the user, or name the file in "config" if it is yours';

/** Servers and roles of an app: from its files, or from its program. Knows the secrets and the consents of its servers. */
export class ConfigSource {
  readonly #options: OpenToolsOptions;
  /** Absolute: the program may change its current directory. */
  readonly #cwd: string;
  readonly #load: LoadOptions;
  readonly #lookup = createSecretLookup();
  #given: ToolsChanges;
  #gate: ConsentGate | undefined;
  readonly #refused = new Set<string>();
  readonly #hidden = new HiddenSecrets(createRedactor());

  constructor(options: OpenToolsOptions) {
    const { mcpServers, roles, config, watch, consent, unsetVariables, cwd = '.', manager } = options;
    const files = typeof config === 'string' ? [config] : config;
    if (mcpServers !== undefined && (files !== undefined || watch)) {
      throw new TypeError('mcpServers is the configuration; leave it out to read or watch files');
    }
    if (mcpServers !== undefined && consent !== undefined) {
      throw new TypeError('consent is about config files; for mcpServers pass manager: { confirmLaunch }');
    }
    if (consent !== undefined && manager?.confirmLaunch !== undefined) {
      throw new TypeError('consent and manager.confirmLaunch decide the same; pass one of them');
    }
    this.#options = options;
    this.#given = { mcpServers, roles };
    this.#cwd = resolve(cwd);
    this.#load = { cwd: this.#cwd, unsetVariables, ...(files !== undefined && { files }) };
  }

  /** Defaults of the manager. */
  get managerOptions(): Pick<ClientManagerOptions, 'resolveSecret' | 'redact' | 'confirmLaunch'> {
    const { resolveSecret } = this.#lookup;
    return { resolveSecret, redact: (text) => this.#redactor.redact(text), confirmLaunch: this.#confirm };
  }

  readonly redactData = (value: unknown): unknown => this.#redactor.redactData(value);

  /**
   * The present configuration, with `changes` from now on.
   *
   * @throws {ConfigError} The files have errors.
   */
  async read({ mcpServers, roles }: ToolsChanges): Promise<AppliedConfig> {
    if (mcpServers !== undefined && this.#given.mcpServers === undefined) {
      throw new TypeError('The servers come from files: change these, or open tools with mcpServers');
    }
    const given = { mcpServers: mcpServers ?? this.#given.mcpServers, roles: roles ?? this.#given.roles };
    if (given.mcpServers !== undefined) return inCode(given);
    const { loadConfig } = await fileCode();
    return fromFiles(await loadConfig(this.#load), given);
  }

  /** Yields each valid or faulty content of the files from now on. */
  async *changes(signal: AbortSignal): AsyncGenerator<AppliedConfig | ConfigFailure, void, void> {
    const { watchConfig } = await fileCode();
    for await (const { config, isCurrent, issues, error } of watchConfig({ ...this.#load, signal })) {
      if (isCurrent && config !== undefined) yield await fromFiles(config, this.#given);
      else yield { error: error ?? new ConfigError('invalid-config', 'The config has errors', { issues }) };
    }
  }

  /** Begins to use a configuration beside the applied one, whose servers may have calls in progress. */
  async begin({
    redactor,
    given,
    loaded,
  }: AppliedConfig): Promise<ConsentTransition & { readonly switched: () => void }> {
    let isApplied = false;
    const undoHiding = this.#hidden.switchTo(redactor, () => isApplied);
    const gate = loaded && (await this.#switchGate(loaded));
    return {
      withdrawn: () => gate?.withdrawn() ?? [],
      /** Call it when the manager has the servers. */
      switched: () => {
        this.#given = given;
      },
      done: () => {
        isApplied = true; // the secrets of another configuration are in no process
        gate?.done();
      },
      undo: () => {
        undoHiding();
        gate?.undo();
      },
    };
  }

  /** @throws {ConfigError} `consent-required`: each of these servers was refused, and nothing asks the user. */
  requireConsent(servers: readonly string[]): void {
    const isOpen = servers.some((name) => !this.#refused.has(name));
    if (servers.length === 0 || isOpen || this.#options.consent !== undefined) return;
    const named = servers.map((name) => JSON.stringify(name)).join(', ');
    const message = `No server has your consent to start: ${named}. ${remedy}`;
    throw new ConfigError('consent-required', message);
  }

  /** Servers that were refused for lack of consent, and have it now. */
  get agreed(): readonly string[] {
    return [...this.#refused].filter((name) => this.#gate?.isWaiting(name) === false);
  }

  get #redactor(): Redactor {
    return combineRedactors([this.#hidden.redactor, this.#lookup.redactor]);
  }

  /** A file that a search found may be that of a stranger. A file that the program names is that of its author. */
  get #needsConsent(): boolean {
    const { config, consent } = this.#options;
    return config === undefined || consent !== undefined;
  }

  async #switchGate(loaded: LoadedConfig): Promise<ConsentTransition | undefined> {
    if (!this.#needsConsent) return undefined;
    if (this.#gate !== undefined) return this.#gate.switchTo(loaded);
    const { createConsentGate, createConsentStore, userConfigDirectory, userStateDirectory } = await fileCode();
    this.#gate = createConsentGate(loaded, {
      cwd: this.#cwd,
      userDirectory: await userConfigDirectory(),
      store: createConsentStore(await userStateDirectory()),
      trusted: process.env.MCPX_TRUST === '1' ? 'all' : [],
      ask: this.#options.consent,
    });
    return undefined;
  }

  readonly #confirm: ConfirmLaunch = async (launch, options) => {
    try {
      const isAgreed = (await this.#gate?.confirm(launch, options)) ?? true;
      this.#refused.delete(launch.server);
      return isAgreed;
    } catch (cause) {
      options.signal.throwIfAborted();
      this.#refused.add(launch.server);
      throw new Error(`${messageOf(cause).replace(/\.$/, '')}. ${remedy}`, { cause });
    }
  };
}

/** The parsers and zod take longer to load than all the rest. An app with `mcpServers` never needs them. */
async function fileCode() {
  const [load, consent] = await Promise.all([
    import('@x/mcp-config-schema/load'),
    import('@x/mcp-config-schema/consent'),
  ]);
  return { ...load, ...consent };
}

async function fromFiles(config: LoadedConfig, given: ToolsChanges): Promise<AppliedConfig> {
  const { inRealDirectories } = await fileCode();
  const loaded = inRealDirectories(config);
  const { roles = loaded.roles } = given;
  return { ...loaded, given, roles, loaded, knownServers: loaded.servers.map(({ name }) => name) };
}

function inCode(given: ToolsChanges): AppliedConfig {
  const { mcpServers = {}, roles = [] } = given;
  const redactor = createRedactor();
  return { mcpServers, given, roles, knownServers: Object.keys(mcpServers), redactor, loaded: undefined };
}
