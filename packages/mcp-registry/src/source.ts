/**
 * What the registry needs from anything that offers tools. The registry owns this contract: a server of
 * `@x/mcp-client-manager` fits as it stands, and so does an object of three lines.
 */
export interface ToolSource {
  /** Unique within one registry. Becomes the middle part of its tools' public names, `mcp__<name>__<tool>`. */
  readonly name: string;
  /** What a person would be told about the source right now. Left out, the source counts as `running`. */
  readonly state?: ToolSourceState;
  /**
   * What the source says of itself to models, if anything is known of that. Needs an approval where its tools do. Read whenever
   * tools are.
   */
  readonly instructions?: string | undefined;
  /**
   * The tools that the source offers right now. Answers from what is known; starts nothing. What is answered without a
   * promise is in the registry as soon as the change was announced. A frozen array that was given before is not read again.
   */
  listTools(options: ListToolsOptions): readonly SourceTool[] | Promise<readonly SourceTool[]>;
  /** Runs one tool under the name that the source gave it. Starts the source first if that is its way. */
  callTool(tool: string, args: ToolArguments, options: CallToolOptions): Promise<ToolCallResult>;
  /** Calls `listener` when `listTools` would now answer differently, or `state` has changed. */
  onToolsChanged?(listener: () => void): Disposable;
}

/**
 * How a source is. One that is not `running` or `degraded` may have to be started for a call; of one that is `unreachable`,
 * because its host is gone, nothing can be.
 */
export type ToolSourceState = 'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'failed' | 'unreachable';

/** When to stop waiting for a list. */
export interface ListToolsOptions {
  readonly signal?: AbortSignal;
}

/** How one call is made. */
export interface CallToolOptions {
  /** Ends the call; the promise rejects with the signal's reason and the source is told. */
  readonly signal?: AbortSignal;
  /** Longest wait for the result in milliseconds. Left out, the source's own default holds. */
  readonly timeoutMs?: number;
  /** Called for each progress notification that the tool sends while it runs. */
  readonly onProgress?: (progress: ToolProgress) => void;
  /** Sent along as `_meta`, such as `traceparent`; the tool of a source gets it as it is. Default: nothing. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * What the request's `params` say beside `name`, `arguments` and `_meta`, for a source that sends them on: `inputResponses`
   * and `requestState` of an earlier result, or `task`. Default: nothing.
   */
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * What to do when a server of revision 2026-07-28 needs something of its client first. `answer` (default): `host` is
   * asked, or who else answers for the source. `return`: the result says so (`resultType: 'input_required'`).
   */
  readonly inputRequired?: 'answer' | 'return';
  /** Answers what the server asks of its client while it works on this call. Default: who answers for the source. */
  readonly host?: CallHost;
  /** For whom the call is made. A view that was made for somebody says so itself. Default: for nobody in particular. */
  readonly caller?: ToolCaller;
}

/** For whom a call is made, as it was said when the view was made. */
export interface ToolCaller {
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

/** The client that a call is made for, as far as a server may ask it for something meanwhile. */
export interface CallHost {
  /**
   * Who the client is: compared with `===`. Servers of the revisions before 2026-07-28 do not say which of their calls a
   * question is about; it is answered by any call of the one client that has calls under way, and by nobody if there are
   * several.
   */
  readonly client: unknown;
  /** To whom the client belongs, compared with `===`: all clients of one owner have one share of the source's turns. */
  readonly owner?: unknown;
  /** What the client has said that it can do, as `ClientCapabilities` of the protocol. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Answers `sampling/createMessage`, `elicitation/create` or `roots/list`, with the request's result. Rejecting refuses:
   * an integer `code` of the error and its `data` go to the server with its message.
   */
  answer(
    request: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
    context: { readonly server: string; readonly signal: AbortSignal },
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** `notifications/progress` without its token. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** The `arguments` of a `tools/call` request: always an object. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A JSON Schema as it came; nothing in it has been checked. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * One tool as its source describes it. Everything is kept as it was sent, keys that we do not know too.
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

/** Hints only: they come from the server, so nothing that must hold may rest on them. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  readonly [key: string]: unknown;
}

/** The result of `tools/call`. `isError` marks a failure that the model is meant to see and act on. */
export interface ToolCallResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/** Text, image, audio, resource or resource link, as the protocol defines them. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}
