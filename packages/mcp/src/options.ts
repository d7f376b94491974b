import { optionTable } from '@x/internal/options';
import type { ClientManagerOptions, ServersByName } from '@x/mcp-client-manager';
import type { ConfigError } from '@x/mcp-config-schema';
import type { RegistryOptions, RoleRules } from '@x/mcp-registry';

/** Options of `openTools`. Default: the files of the project. */
export interface OpenToolsOptions {
  /** Servers by name, as in the `mcpServers` of other programs. Excludes `config` and `watch`. */
  readonly mcpServers?: ServersByName | undefined;
  /**
   * Config files, or folders with them. Default without `mcpServers`: those of the project, from `cwd` upward, and those
   * of the user.
   */
  readonly config?: string | readonly string[] | undefined;
  /** Applies changes of the files. Faulty content changes nothing; see `config-failed`. Default `false`. */
  readonly watch?: boolean | undefined;
  /** Rights by role. Default: those of the files. */
  readonly roles?: RoleRules | undefined;
  /** Start of relative paths and of the search for files. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** Further options of the manager. `resolveSecret` and `redact` have the defaults that fit the files. */
  readonly manager?: ClientManagerOptions | undefined;
  /** Further options of the registry. */
  readonly registry?: Omit<RegistryOptions, 'roles' | 'knownServers'> | undefined;
}

export const openOptions = optionTable<OpenToolsOptions>()({
  mcpServers: { kind: 'object' },
  config: { kind: 'other' },
  watch: { kind: 'flag', default: false },
  roles: { kind: 'other' },
  cwd: { kind: 'text' },
  manager: { kind: 'object', default: {} },
  registry: { kind: 'object', default: {} },
});

/** What `reload` applies. Default: the files, read again. */
export type ToolsChanges = Pick<OpenToolsOptions, 'mcpServers' | 'roles'>;

/** Faulty content of a watched file. The last good configuration stays. */
export interface ConfigFailure {
  readonly error: ConfigError;
}
