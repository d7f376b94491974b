import { combineRedactors } from '@x/internal/secrets';
import type { ClientManagerOptions, ServerSpecs } from '@x/mcp-client-manager';
import { type Config, ConfigError, createRedactor, type Redactor } from '@x/mcp-config-schema';
import { type LoadOptions, loadConfig, watchConfig } from '@x/mcp-config-schema/load';
import { createSecretLookup } from '@x/mcp-config-schema/secrets';
import type { RoleRules } from '@x/mcp-registry';
import type { ConfigFailure, OpenToolsOptions, ToolsChanges } from './options.js';

/** A configuration for the manager and the registry. */
export type AppliedConfig = ServerSpecs & {
  readonly given: ToolsChanges;
  readonly roles: RoleRules;
  readonly knownServers: readonly string[];
  readonly redactor: Redactor;
};

/** Servers and roles of an app: from its files, or from its program. Knows the secrets in them. */
export class ConfigSource {
  readonly #load: LoadOptions;
  readonly #lookup = createSecretLookup();
  readonly #isWatched: boolean;
  #given: ToolsChanges;
  /** Of the applied configuration and, during a change, of the next one. */
  #redactors: readonly [Redactor, ...Redactor[]] = [createRedactor()];

  constructor({ mcpServers, roles, config, watch, cwd }: OpenToolsOptions) {
    const files = typeof config === 'string' ? [config] : config;
    if (mcpServers !== undefined && (files !== undefined || watch)) {
      throw new TypeError('mcpServers is the configuration; leave it out to read or watch files');
    }
    this.#given = { mcpServers, roles };
    this.#isWatched = watch === true;
    this.#load = { ...(cwd !== undefined && { cwd }), ...(files !== undefined && { files }) };
  }

  /** Defaults of the manager. */
  get secrets(): Required<Pick<ClientManagerOptions, 'resolveSecret' | 'redact'>> {
    const { resolveSecret } = this.#lookup;
    return { resolveSecret, redact: (text) => this.#redactor.redact(text) };
  }

  readonly redactData = (value: unknown): unknown => this.#redactor.redactData(value);

  /**
   * The present configuration, with `changes` from now on.
   *
   * @throws {ConfigError} The files have errors.
   */
  async read({ mcpServers, roles }: ToolsChanges): Promise<AppliedConfig> {
    if (this.#isWatched && mcpServers !== undefined) {
      throw new TypeError('The files are watched: change them, or open tools with mcpServers');
    }
    const given = { mcpServers: mcpServers ?? this.#given.mcpServers, roles: roles ?? this.#given.roles };
    return this.#begin(given.mcpServers === undefined ? await this.#readFiles(given) : inCode(given));
  }

  /** Yields each valid or faulty content of the files from now on. */
  async *changes(signal: AbortSignal): AsyncGenerator<AppliedConfig | ConfigFailure, void, void> {
    for await (const { config, isCurrent, issues, error, redactor } of watchConfig({ ...this.#load, signal })) {
      if (isCurrent && config !== undefined) yield this.#begin(toApplied(config, redactor, this.#given));
      else yield { error: error ?? new ConfigError('invalid-config', 'The config has errors', { issues }) };
    }
  }

  /** The servers have this configuration now, so the secrets of another are in no process. */
  applied({ redactor, given }: AppliedConfig): void {
    this.#redactors = [redactor];
    this.#given = given;
  }

  get #redactor(): Redactor {
    return combineRedactors([...this.#redactors, this.#lookup.redactor]);
  }

  async #readFiles(given: ToolsChanges): Promise<AppliedConfig> {
    const config = await loadConfig(this.#load);
    return toApplied(config, config.redactor, given);
  }

  #begin(config: AppliedConfig): AppliedConfig {
    this.#redactors = [...this.#redactors, config.redactor];
    return config;
  }
}

function toApplied(config: Config, redactor: Redactor, given: ToolsChanges): AppliedConfig {
  const { roles = config.roles } = given;
  return { ...config, given, roles, redactor, knownServers: config.servers.map(({ name }) => name) };
}

function inCode(given: ToolsChanges): AppliedConfig {
  const { mcpServers = {}, roles = [] } = given;
  return { mcpServers, given, roles, knownServers: Object.keys(mcpServers), redactor: createRedactor() };
}
