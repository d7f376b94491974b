import type { CallHost } from './call-host.js';
import type { Disposable } from './disposable.js';
import type { JsonSchema } from './json.js';
import type { ToolCallResult, ToolProgress } from './tool-result.js';

/**
 * Anything that offers tools. A server of `@x/mcp-client-manager` fits as it stands, and so does an object of three lines.
 */
export interface ToolSource {
  /** Unique within one registry. Becomes the middle part of its tools' public names, `mcp__<name>__<tool>`. */
  readonly name: string;
  /** Condition of the source, for people. Default `running`. */
  readonly state?: ToolSourceState;
  /**
   * The source's description of itself for models. It needs an approval where the source's tools do. Read with the tools; a
   * fleet does not pass it on.
   */
  readonly instructions?: string | undefined;
  /**
   * The tools that the source offers right now. Answers from memory and starts nothing. An answer without a promise is in the
   * registry as soon as the change is announced. A frozen array that was returned before is not read again.
   */
  listTools(options: ListToolsOptions): readonly SourceTool[] | Promise<readonly SourceTool[]>;
  /** Whether `listTools` answers with what the source has. `false`: the tools are not known yet. Read with them. Default `true`. */
  readonly hasListed?: boolean | undefined;
  /**
   * Runs one tool under the source's own name for it. Starts the source first if it has to.
   *
   * @throws The failure. The `code` `unknown-tool` says that the source has no such tool and ran nothing.
   */
  callTool(tool: string, args: ToolArguments, options: CallToolOptions): Promise<ToolCallResult>;
  /**
   * Whether `callTool` rejects as soon as `signal` aborts, and neither listens to the signal nor reads it once the call has
   * settled. Calls then share signals, which makes each of them cheaper. Default `false`: each call has a signal of its own.
   */
  readonly heedsSignals?: boolean | undefined;
  /** Calls `listener` when `listTools` would now answer differently, or `state` has changed. */
  onToolsChanged?(listener: () => void): Disposable;
}

/**
 * Condition of a source. One that is not `running` or `degraded` may have to be started for a call. `unreachable`: its machine
 * is gone or cut off, and nothing can be started.
 */
export type ToolSourceState = 'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'failed' | 'unreachable';

/** When to stop waiting for a list. */
export interface ListToolsOptions {
  readonly signal?: AbortSignal;
}

/** Options of one call. */
export interface CallToolOptions {
  /** Ends the call: the promise rejects with the signal's reason, and the source cancels the call. */
  readonly signal?: AbortSignal;
  /** Longest wait for the result in milliseconds. Default: the source's own. */
  readonly timeoutMs?: number;
  /** Called for each progress notification of this call. */
  readonly onProgress?: (progress: ToolProgress) => void;
  /** Sent along as `_meta`, such as `traceparent`; the tool gets it unchanged. Default: nothing. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * Members of the request's `params` beside `name`, `arguments` and `_meta`, for a source that sends them on:
   * `inputResponses` and `requestState` of an earlier result, or `task`. Default: nothing.
   */
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * What to do when a server of revision 2026-07-28 needs input of its client first. `answer` (default): `host` answers, or the
   * source's own handlers. `return`: the result says so (`resultType: 'input_required'`).
   */
  readonly inputRequired?: 'answer' | 'return';
  /** Answers the server's questions during this call. Default: the source's own handlers. */
  readonly host?: CallHost;
  /** For whom the call is made. A view for one caller fills it in. Default: nobody in particular. */
  readonly caller?: ToolCaller;
}

/** The role and the principal that a call is made for. */
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
  /** `{ taskSupport }` of the revision 2025-11-25, as it came. */
  readonly execution?: unknown;
  readonly [key: string]: unknown;
}

/** Hints only: they come from the server, so no guarantee may rest on them. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  readonly [key: string]: unknown;
}
