import type { CallHandler, Operation, ToolCallResult, ToolProgress } from '@x/internal/contracts';
import type { PagedListing } from './lists/list-pages.js';
import type { ServerLists } from './lists/server-lists.js';
import type { Params as RawParams, RawResult } from './peer/json-rpc.js';

export type { ToolCallResult, ToolProgress } from '@x/internal/contracts';

/** One session with a server after the handshake, for all transports and protocol revisions. */
export interface Session {
  readonly facts: SessionFacts;
  /** `false` once `closed` has settled, or after `cancelAll`. */
  readonly isOpen: boolean;
  readonly callsInFlight: number;
  /** All pages of `tools/list`, within limits. A failed page does not reject: see `ToolListing`. */
  listTools(options: { signal: AbortSignal; maxTools?: number }): Promise<ToolListing>;
  /**
   * @throws {TypeError} The request cannot be written as JSON, or is `initialize`.
   * @throws {ManagerError} `unsupported`: the server did not declare the required capability.
   * @throws {SessionLostError} The connection is closed.
   */
  send(request: OutgoingRequest): RequestHandle;
  callTool(tool: string, args: Readonly<Record<string, unknown>>, options: SessionCallOptions): Promise<ToolCallResult>;
  /**
   * Sends any other request. Translates methods that a later revision replaces.
   *
   * @throws {ManagerError} `unsupported`: the server did not declare the required capability. `server-error` with
   *   `rpc`.
   * @throws {SessionLostError} The connection was lost.
   */
  request(method: string, params: RawParams, options: SessionRequestOptions): Promise<RawResult>;
  /**
   * A failed page does not reject: see `Listing`.
   *
   * @throws {ManagerError} `unsupported` or `busy`.
   * @throws {SessionLostError} The connection was lost.
   */
  listAll<Method extends keyof ServerLists>(
    method: Method,
    options: Pick<SessionRequestOptions, 'signal' | 'handler'>,
  ): Promise<PagedListing<ServerLists[Method]>>;
  /** Does nothing if the client has no roots. */
  notifyRootsChanged(): Promise<void>;
  notify(method: string, params: RawParams): Promise<void>;
  /** Time of the last valid message, by `performance.now()`. */
  readonly lastMessageAt: number;
  /** Time of the last byte, including stderr, by `performance.now()`. */
  readonly lastByteAt: number;
  /** Problems of output schemas, for people. */
  readonly outputProblems: readonly string[];
  /** Sends `ping`, or `server/discover` from revision 2026-07-28 on. Rejects if there is no response. */
  checkAlive(options: { signal: AbortSignal }): Promise<void>;
  readonly endCause?: Error | undefined;
  /** True over Streamable HTTP without a session id: responses to server requests would not find their request. */
  readonly isStateless?: boolean | undefined;
  /**
   * Cancels all open requests at the server, which would otherwise keep working on them, above all over HTTP. They fail
   * as after a lost connection. The caller must call `close`.
   */
  cancelAll(): void;
  /** Resolves when the connection has ended. Never rejects. */
  readonly closed: Promise<void>;
  /** Open requests reject at once. */
  close(): Promise<void>;
}

/** `legacy`: a revision before 2026-07-28, with `initialize`. `modern`: a later one, with `server/discover`. */
export type Era = 'legacy' | 'modern';

/** The server's part of the handshake. */
export interface SessionFacts {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** As the server declared them, with unknown keys. */
export interface ServerCapabilities {
  readonly tools?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly resources?:
    | { readonly listChanged?: boolean | undefined; readonly subscribe?: boolean | undefined }
    | undefined;
  readonly prompts?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly logging?: object | undefined;
  readonly completions?: object | undefined;
  readonly [key: string]: unknown;
}

export interface SessionCallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Further params, beside the tool's name and arguments. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /**
   * When a server of revision 2026-07-28 needs input. `answer` (default): the handler responds. `return`: returns the
   * `input_required` result unchanged.
   */
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** Responds to server requests of this call. Default: the manager's client handlers. */
  readonly handler?: CallHandler | undefined;
}

export type SessionRequestOptions = Omit<SessionCallOptions, 'params'>;

/** One request with callbacks. No callback follows a cancellation. */
export interface OutgoingRequest {
  readonly method: string;
  /** Sent unchanged, except for `_meta`. Those of `tools/call` contain `name` and `arguments`. */
  readonly params: RawParams;
  /** Name in messages, such as `the call of "x"`. */
  readonly what: string;
  readonly meta: RawParams | undefined;
  readonly wantsProgress: boolean;
  readonly inputRequired: 'answer' | 'return' | undefined;
  readonly handler: CallHandler | undefined;
  /** Ended by the sender. Default: the connection begins one of its own. */
  readonly operation?: Operation | undefined;
  onProgress(progress: ToolProgress): void;
  onResult(result: RawResult): void;
  /** @param error - A `SessionLostError` if the connection was lost, else a `ManagerError` or a `TypeError`. */
  onFailure(error: unknown): void;
}

export interface RequestHandle {
  /** `true` once the server may have received the request. */
  readonly isSent: boolean;
  cancel(reason: unknown): void;
}

/** A tool as its server describes it, with unknown keys. */
export interface ServerTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/** As `Listing`, with the entries as `tools`. */
export interface ToolListing extends Omit<PagedListing<ServerTool>, 'items'> {
  readonly tools: readonly ServerTool[];
}

/** The connection is lost. `sent`: the server may have received the request. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError';
  readonly sent: boolean;
  /** True if the server no longer knows the session. */
  readonly refused: boolean;

  constructor(
    message: string,
    { sent, refused = false, ...options }: ErrorOptions & { sent: boolean; refused?: boolean },
  ) {
    super(message, options);
    this.sent = sent;
    this.refused = refused;
  }
}
