import type { ContentBlock } from './contracts/content-blocks.js';

export type {
  AudioContent,
  ContentAnnotations,
  ContentBase,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  OtherContent,
  OtherContentType,
  ResourceContents,
  ResourceLink,
  TextContent,
} from './contracts/content-blocks.js';
export type {
  ObservedRequest,
  ObservedServer,
  Operation,
  OperationOutcome,
  PeerFacts,
  Telemetry,
} from './contracts/telemetry.js';

/** An object that offers tools, such as a server of `@x/mcp-client-manager`. */
export interface ToolSource {
  /** Unique within one registry. Part of its tools' public names, `mcp__<name>__<tool>`. */
  readonly name: string;
  /** Condition of the source, for people. Default `running`. */
  readonly state?: ToolSourceState | undefined;
  /**
   * The source's description of itself for models. Read with the tools, and approved like them. A fleet does not pass
   * it on.
   */
  readonly instructions?: string | undefined;
  /** Reason of the last failure, a full sentence. Part of the error for a tool of a source that has never listed. */
  readonly lastError?: string | undefined;
  /**
   * Texts in place of the source's own, by the tools' own names. Read with the tools. Approvals, findings and rules of
   * roles see the tools as the source lists them. Invalid parts are left out, see `diagnostics()`. Default: none.
   */
  readonly toolOverrides?: ToolOverrides | undefined;
  /**
   * The tools that the source offers now, from memory, without starting anything. A synchronous result is in the
   * registry as soon as the change is announced. A frozen array is read once.
   */
  listTools(options: ListToolsOptions): readonly SourceTool[] | Promise<readonly SourceTool[]>;
  /**
   * The tools of the source while `listTools` is empty because calls would fail: it is down, or may not start by itself.
   * Read with the tools. Only `get`, `call` and searches with `include: 'known'` find them. Default: none.
   */
  knownTools?(): readonly SourceTool[];
  /** False if the source does not know its tools yet. Read with the tools. Default `true`. */
  readonly hasListed?: boolean | undefined;
  /**
   * Calls a tool by its own name. Starts the source first if necessary.
   *
   * @throws The failure. The `code` `unknown-tool` means that the source has no such tool and ran nothing.
   */
  callTool(tool: string, args: ToolArguments, options: SourceCallOptions): Promise<SourceToolResult>;
  /**
   * True if `callTool` rejects as soon as `signal` aborts, and does not use the signal after the call. Such calls share
   * a signal, which makes them cheaper. Default `false`.
   */
  readonly heedsSignals?: boolean | undefined;
  /** Calls `listener` when the result of `listTools`, or `state`, has changed. */
  onToolsChanged?(listener: () => void): Disposable;
}

/** Texts of a tool for models and people, in place of the server's. Absent fields stay the server's own. */
export interface ToolOverride {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /**
   * True if the tool is not offered: calls through the registry fail as those of an unknown tool. Unlike with
   * `deniedTools`, operators see it, and its source can still run it. An invalid value hides too. Default `false`.
   */
  readonly hidden?: boolean | undefined;
}

/** Overrides by the tools' own names. */
export type ToolOverrides = Readonly<Record<string, ToolOverride>>;

/**
 * Condition of a source. Only `running` and `degraded` sources take calls without a start. `unreachable`: its node is
 * gone or cut off, and cannot be started.
 */
export type ToolSourceState = 'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'failed' | 'unreachable';

/** Options of `listTools`. */
export interface ListToolsOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of one call. */
export interface CallToolOptions {
  /** Cancels the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the result, in milliseconds. Default: the source's own. */
  readonly timeoutMs?: number | undefined;
  /** Called for each progress notification of this call. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Passed to the tool unchanged as `_meta`, such as `traceparent`. Default: none. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Responds to the server requests of this call. Default: the source's own handlers. */
  readonly handler?: CallHandler | undefined;
}

/** Options of one call, as a source receives them. */
export interface SourceCallOptions extends CallToolOptions {
  /**
   * Further members of the request's `params`, if the source passes them on: `inputResponses` and `requestState` of an
   * earlier result, or `task`. Default: none.
   */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Reaction to a server of revision 2026-07-28 that first needs input. `answer` (default): `handler` or the source's
   * own handlers respond. `return`: the call resolves with `resultType: 'input_required'`.
   */
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** The caller on whose behalf the call is made: the role and the principal of the view. Default: none. */
  readonly caller?: ToolCaller | undefined;
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

/** A result as a source gives it. A `ToolCallResult`, as soon as its content is checked. */
export interface SourceToolResult {
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/** The result of `tools/call`. `isError` marks a failure that the model should see and act on. */
export interface ToolCallResult extends SourceToolResult {
  readonly content: readonly ContentBlock[];
}

/** `notifications/progress` without its token. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Responds to the server requests of one call. */
export interface CallHandler {
  /**
   * Identity of the client, compared with `===`. A server before revision 2026-07-28 may not name the call of its
   * request: the request goes to the only client with calls in progress, or is refused.
   */
  readonly client: unknown;
  /**
   * Owner of the client, compared with `===`. Clients of one owner have one share of a server's turns. Default: the
   * principal of the call's `caller`, or the client. Does not cross a fleet.
   */
  readonly owner?: unknown;
  /**
   * The client's era: `legacy` before revision 2026-07-28, `modern` since. A server by URL of both eras is spoken to in
   * it. Does not cross a fleet. Default: the era of the server's connection.
   */
  readonly era?: 'legacy' | 'modern' | undefined;
  /** The client's name and version, for the audit. Does not cross a fleet. Default: none. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /**
   * The client's capabilities, as `ClientCapabilities` of the protocol. Other server requests are refused. A server of
   * revision 2026-07-28 or later receives them with the request.
   */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Called when a server over Streamable HTTP, before revision 2026-07-28, has ended the stream of the call before its
   * result, and the source resumes the stream. Does not cross a fleet. Default: nothing.
   */
  readonly onStreamPause?: (() => void) | undefined;
  /**
   * Responds to `sampling/createMessage`, `elicitation/create` or `roots/list` with the request's result. A rejection
   * refuses: the server receives its message, its integer `code` and its `data`.
   */
  answer(request: ServerRequest, context: ClientHandlerContext): Promise<Readonly<Record<string, unknown>>>;
}

/** A server request, as sent. */
export interface ServerRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Context of a server request. */
export interface ClientHandlerContext {
  /** Name of the server. */
  readonly server: string;
  /** Aborts when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/** A JSON Schema as received, unchecked. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Any JSON-RPC message, not narrowed yet. */
export type JsonRpcMessage = Readonly<Record<string, unknown>> & { readonly jsonrpc: '2.0' };

/** The `id` of a JSON-RPC request. */
export type RequestId = string | number;

/** The `error` of a JSON-RPC response, unchanged. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Sends events to listeners. An error of a listener becomes a process warning. */
export interface EventSource<Events> {
  /** Calls `listener` after each event of that name, until the returned object is disposed or the source closes. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Disposable;
}

// TypeScript declares the global types only in `esnext.disposable`. Without that library, what is typed with them is
// silently `any`.

type DisposeSymbol = SymbolConstructor extends { readonly dispose: infer Key extends symbol } ? Key : never;
type AsyncDisposeSymbol = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol } ? Key : never;

/** Accepted by `using`: the global `Disposable`, or `{}` where `Symbol.dispose` is not declared. */
export type Disposable = { [Key in DisposeSymbol]: () => void };

/** Accepted by `await using`: the global `AsyncDisposable`, or `{}` as above. */
export type AsyncDisposable = { [Key in AsyncDisposeSymbol]: () => PromiseLike<void> };
