import { milliseconds, optionTable } from '@x/internal/options';
import type { ClientManagerOptions, ServersByName } from '@x/mcp-client-manager';
import type { AskConsent } from '@x/mcp-config-schema/consent';
import type { RegistryOptions, RoleRules } from '@x/mcp-registry';
import type { AsOptions, CloseOptions, Tools, ToolsChanges } from './tools.js';

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
  /**
   * `warning`: a server of the files with unset variables fails with `not-set-up`, and all others work. `error`: such
   * files are invalid. Default `warning`.
   */
  readonly unsetVariables?: 'error' | 'warning' | undefined;
  /** Applies changes of the files. Faulty content changes nothing; see `config-failed`. Default `false`. */
  readonly watch?: boolean | undefined;
  /**
   * Receives the tools before any server starts, to follow the start: `tools.on` and `tools.manager.events` miss nothing.
   * The servers start when it has returned or its promise has resolved. Default: nothing follows the start.
   */
  readonly beforeStart?: ((tools: Tools) => void | Promise<void>) | undefined;
  /** Ends the start: closes all that was started, and `openTools` rejects with the reason. Default: no limit. */
  readonly signal?: AbortSignal | undefined;
  /** Rights by role. Default: those of the files. */
  readonly roles?: RoleRules | undefined;
  /** Start of relative paths and of the search for files. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** Further options of the manager. `resolveSecret`, `redact` and `confirmLaunch` have the defaults that fit the files. */
  readonly manager?: ClientManagerOptions | undefined;
  /** Further options of the registry. */
  readonly registry?: Omit<RegistryOptions, 'roles' | 'knownServers'> | undefined;
}

export const asOptions = optionTable<AsOptions>()({ principal: { kind: 'text' } });
export const closeOptions = optionTable<CloseOptions>()({ drainMs: { ...milliseconds, min: 0, default: 0 } });
export const toolsChanges = optionTable<ToolsChanges>()({ mcpServers: { kind: 'object' }, roles: { kind: 'other' } });

export const openOptions = optionTable<OpenToolsOptions>()({
  mcpServers: { kind: 'object' },
  config: { kind: 'other', check: configFault },
  consent: { kind: 'function' },
  unsetVariables: { kind: 'word', words: ['error', 'warning'], default: 'warning' },
  watch: { kind: 'flag', default: false },
  beforeStart: { kind: 'function' },
  signal: { kind: 'signal' },
  roles: { kind: 'other' },
  cwd: { kind: 'text' },
  manager: { kind: 'object', default: {} },
  registry: { kind: 'object', default: {} },
});

/** An empty path would be the current folder. */
function configFault(config: unknown): string | undefined {
  const paths = Array.isArray(config) ? config : [config];
  const isValid = paths.length > 0 && paths.every((path) => typeof path === 'string' && path !== '');
  return isValid ? undefined : 'a path or a list of paths; leave it out to search for the files of the project';
}
