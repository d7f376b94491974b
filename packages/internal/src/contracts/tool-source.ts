import type { CallHandler } from './call-handler.js';
import type { Disposable } from './disposable.js';
import type { JsonSchema } from './json.js';
import type { ToolCallResult, ToolProgress } from './tool-result.js';

/** An object that offers tools, such as a server of `@x/mcp-client-manager`. */
export interface ToolSource {
  /** Unique within one registry. Part of its tools' public names, `mcp__<name>__<tool>`. */
  readonly name: string;
  /** Condition of the source, for people. Default `running`. */
  readonly state?: ToolSourceState;
  /**
   * The source's description of itself for models. Read with the tools, and approved like them. A fleet does not pass
   * it on.
   */
  readonly instructions?: string | undefined;
  /**
   * The tools that the source offers now, from memory, without starting anything. A synchronous result is in the
   * registry as soon as the change is announced. A frozen array is read once.
   */
  listTools(options: ListToolsOptions): readonly SourceTool[] | Promise<readonly SourceTool[]>;
  /** False if `listTools` does not know the tools yet. Read with the tools. Default `true`. */
  readonly hasListed?: boolean | undefined;
  /**
   * Calls a tool by its own name. Starts the source first if necessary.
   *
   * @throws The failure. The `code` `unknown-tool` means that the source has no such tool and ran nothing.
   */
  callTool(tool: string, args: ToolArguments, options: CallToolOptions): Promise<ToolCallResult>;
  /**
   * True if `callTool` rejects as soon as `signal` aborts, and does not use the signal after the call. Such calls share
   * a signal, which makes them cheaper. Default `false`.
   */
  readonly heedsSignals?: boolean | undefined;
  /** Calls `listener` when the result of `listTools`, or `state`, has changed. */
  onToolsChanged?(listener: () => void): Disposable;
}

/**
 * Condition of a source. Only `running` and `degraded` sources take calls without a start. `unreachable`: its node is
 * gone or cut off, and cannot be started.
 */
export type ToolSourceState = 'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'failed' | 'unreachable';

/** Options of `listTools`. */
export interface ListToolsOptions {
  readonly signal?: AbortSignal;
}

/** Options of one call. */
export interface CallToolOptions {
  /** Cancels the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Longest wait for the result, in milliseconds. Default: the source's own. */
  readonly timeoutMs?: number;
  /** Called for each progress notification of this call. */
  readonly onProgress?: (progress: ToolProgress) => void;
  /** Passed to the tool unchanged as `_meta`, such as `traceparent`. Default: none. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * Further members of the request's `params`, if the source passes them on: `inputResponses` and `requestState` of an
   * earlier result, or `task`. Default: none.
   */
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * Reaction to a server of revision 2026-07-28 that first needs input. `answer` (default): `handler` or the source's
   * own handlers respond. `return`: the call resolves with `resultType: 'input_required'`.
   */
  readonly inputRequired?: 'answer' | 'return';
  /** Responds to the server requests of this call. Default: the source's own handlers. */
  readonly handler?: CallHandler;
  /** The caller on whose behalf the call is made. A view of one caller fills it in. Default: none. */
  readonly caller?: ToolCaller;
}

/** The role and the principal of a call. */
export interface ToolCaller {
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

/** The `arguments` of a `tools/call` request: always an object. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * One tool as its source describes it, with all keys that were sent.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools
 */
export interface SourceTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** `{ taskSupport }` of revision 2025-11-25, as received. */
  readonly execution?: unknown;
  readonly [key: string]: unknown;
}

/** Hints only: they come from the server, so no guarantee depends on them. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  readonly [key: string]: unknown;
}
