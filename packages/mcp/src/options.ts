import { milliseconds, optionTable } from '@x/internal/options';
import type { ClientManagerOptions, ServersByName } from '@x/mcp-client-manager';
import type { AskConsent } from '@x/mcp-config-schema/consent';
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
  /**
   * Asks the user for consent to the launch of a server in config files. Called once for each launch without consent,
   * one at a time; `true` is stored, as by `mcpx trust`. Default: a file that `config` names needs none; servers of a
   * file that the search found need the consent of `mcpx trust`, or `MCPX_TRUST=1` in the environment, and fail with
   * `launch-refused` without it.
   */
  readonly consent?: AskConsent | undefined;
  /** Applies changes of the files. Faulty content changes nothing; see `config-failed`. Default `false`. */
  readonly watch?: boolean | undefined;
  /** Rights by role. Default: those of the files. */
  readonly roles?: RoleRules | undefined;
  /** Start of relative paths and of the search for files. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** Further options of the manager. `resolveSecret`, `redact` and `confirmLaunch` have the defaults that fit the files. */
  readonly manager?: ClientManagerOptions | undefined;
  /** Further options of the registry. */
  readonly registry?: Omit<RegistryOptions, 'roles' | 'knownServers'> | undefined;
}

/** Options of `as`. */
export interface AsOptions {
  /** The person or program that calls, for the audit log and for shares of a server. Default: none. */
  readonly principal?: string | undefined;
}

/** Options of `close`. */
export interface CloseOptions {
  /** Time for calls in progress, in milliseconds. Default 0. */
  readonly drainMs?: number | undefined;
}

export const asOptions = optionTable<AsOptions>()({ principal: { kind: 'text' } });
export const closeOptions = optionTable<CloseOptions>()({ drainMs: { ...milliseconds, min: 0, default: 0 } });
export const toolsChanges = optionTable<ToolsChanges>()({ mcpServers: { kind: 'object' }, roles: { kind: 'other' } });

export const openOptions = optionTable<OpenToolsOptions>()({
  mcpServers: { kind: 'object' },
  config: { kind: 'other', check: configFault },
  consent: { kind: 'function' },
  watch: { kind: 'flag', default: false },
  roles: { kind: 'other' },
  cwd: { kind: 'text' },
  manager: { kind: 'object', default: {} },
  registry: { kind: 'object', default: {} },
});

/** What `reload` applies. Default: the files, read again. */
export type ToolsChanges = Pick<OpenToolsOptions, 'mcpServers' | 'roles'>;

/** Content of a watched file that does not apply. The last good configuration stays. */
export interface ConfigFailure {
  /** A `ConfigError` with all issues, or the reason why a server or role was refused. */
  readonly error: Error;
}

/** An empty path would be the current folder. */
function configFault(config: unknown): string | undefined {
  const paths = Array.isArray(config) ? config : [config];
  const isValid = paths.length > 0 && paths.every((path) => typeof path === 'string' && path !== '');
  return isValid ? undefined : 'a path or a list of paths; leave it out to search for the files of the project';
}
