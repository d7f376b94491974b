import type { AsyncDisposable, Disposable } from '@x/internal/contracts';
import type { ApplyReport, ClientManager, ServersByName } from '@x/mcp-client-manager';
import type {
  Attachment,
  JsonSchema,
  NativeToolDefinition,
  NativeToolHandler,
  Registry,
  RoleRules,
  ToolSource,
  ToolsChange,
} from '@x/mcp-registry';
import type { ArgumentSchema, ArgumentsOf } from '@x/mcp-registry/sources';
import type { ToolSet } from './tool-set.js';

/** Events of `Tools`. */
export interface ToolsEvents {
  /** The tools have changed: the result of `list()`. */
  readonly change: ToolsChange;
  readonly 'config-failed': ConfigFailure;
}

/** The tools of all servers and of the app. */
export interface Tools extends ToolSet, AsyncDisposable {
  /** The tools that a role may use. Any other tool does not exist for it. */
  as(role: string, options?: AsOptions): ToolSet;
  /**
   * Adds a source until disposal. `ready` of the result resolves when its tools are listed, or the listing has failed.
   *
   * @throws As `Registry.attach`.
   */
  add(source: ToolSource): Attachment;
  /**
   * Adds a tool of the app until disposal.
   *
   * @throws As `Registry.register`.
   */
  add<Schema extends ArgumentSchema = JsonSchema>(
    tool: NativeToolDefinition<Schema>,
    handler: NativeToolHandler<ArgumentsOf<Schema>>,
  ): Disposable;
  /** Calls `listener` after each event, until disposal. */
  on<Name extends keyof ToolsEvents>(name: Name, listener: (event: ToolsEvents[Name]) => void): Disposable;
  /**
   * Applies other servers and roles, or the files read again. Restarts only servers whose launch has changed, after their
   * calls. Waits for the start of added servers.
   *
   * @throws {ConfigError} The files have errors. Nothing has changed.
   * @throws {TypeError} A server or role is invalid. Nothing has changed.
   */
  reload(changes?: ToolsChanges): Promise<ApplyReport>;
  /**
   * Ends every server. Calls in progress have `drainMs` to finish; new ones are refused.
   *
   * @param options.drainMs - In milliseconds. Default 0.
   */
  close(options?: CloseOptions): Promise<void>;
  /** The parts, for what is not here. */
  readonly manager: ClientManager;
  readonly registry: Registry;
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

/** What `reload` applies. Default: the files, read again. */
export interface ToolsChanges {
  /** Servers by name, in place of all present ones. Default: these stay. */
  readonly mcpServers?: ServersByName | undefined;
  /** Rights by role, in place of all present ones. Default: these stay. */
  readonly roles?: RoleRules | undefined;
}

/** Content of a watched file that does not apply. The last good configuration stays. */
export interface ConfigFailure {
  /** A `ConfigError` with all issues, or the reason why a server or role was refused. */
  readonly error: Error;
}
