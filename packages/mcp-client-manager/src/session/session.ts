import type { CallHost, ToolCallResult, ToolProgress } from '@x/internal/contracts';
import type { Params as RawParams, RawResult } from './json-rpc.js';
import type { PagedListing } from './list-pages.js';
import type { ServerLists } from './server-lists.js';

export type { ToolCallResult, ToolProgress } from '@x/internal/contracts';

/** One connection to one server after a successful handshake, whatever carries it and whatever revision it speaks. */
export interface Session {
  readonly facts: SessionFacts;
  /** `false` from the moment on in which `closed` settles, or all was cancelled. */
  readonly isOpen: boolean;
  /** Calls and other requests that the server has been sent and has not answered yet. */
  readonly callsInFlight: number;
  /** Reads every page of `tools/list` within the limits. Never rejects for a bad page: see `ToolListing`. */
  listTools(options: { signal: AbortSignal; maxTools?: number }): Promise<ToolListing>;
  /**
   * Sends a request, and tells it what becomes of it. The shortest way there is; what else asks a server takes it, too.
   *
   * @throws {TypeError} The request cannot be written as JSON, or is the session's own.
   * @throws {ManagerError} `unsupported`: the server did not declare what the method needs.
   * @throws {SessionLostError} The connection is gone.
   */
  send(request: OutgoingRequest): RequestHandle;
  /** Calls a tool by `send`. Rejects with what the call failed with. */
  callTool(tool: string, args: Readonly<Record<string, unknown>>, options: SessionCallOptions): Promise<ToolCallResult>;
  /**
   * Any other request of the protocol, passed through: the result is what the server sent, unknown keys and all.
   * Methods that a later revision does another way are translated.
   *
   * @throws {ManagerError} `unsupported`: the server did not declare what the method needs. `server-error` with `rpc`.
   * @throws {SessionLostError} The connection went away.
   */
  request(method: string, params: RawParams, options: SessionRequestOptions): Promise<RawResult>;
  /**
   * Reads every page of another list than that of tools. Never rejects for a bad page: see `Listing`.
   *
   * @throws {ManagerError} `unsupported`, or `busy`: the server had no time.
   * @throws {SessionLostError} The connection went away.
   */
  listAll<Method extends keyof ServerLists>(
    method: Method,
    options: Pick<SessionRequestOptions, 'signal' | 'host'>,
  ): Promise<PagedListing<ServerLists[Method]>>;
  /** Tells the server that `roots/list` would be answered differently now. Nothing if the host has no roots. */
  notifyRootsChanged(): Promise<void>;
  /** Any other notification, passed through. */
  notify(method: string, params: RawParams): Promise<void>;
  /** When the last valid message came from the server, by `performance.now()`. */
  readonly lastHeardAt: number;
  /** When the last byte came from the server, of a message or of anything else, by `performance.now()`. */
  readonly lastByteAt: number;
  /** What was wrong with output schemas that had to be used, for people. */
  readonly outputProblems: readonly string[];
  /** `ping` before revision 2026-07-28, `server/discover` from then on. Rejects when the answer is no answer. */
  checkAlive(options: { signal: AbortSignal }): Promise<void>;
  /** Why the connection is gone, where it tells by itself: `auth-required`. */
  readonly endCause?: Error | undefined;
  /**
   * Tells the server that nobody waits any more for what it has been sent and has not answered: whatever is closed without
   * a word goes on there, over HTTP above all. Each of those fails as if the connection had gone away, and `isOpen` is
   * `false` from then on. `close` is to follow.
   */
  cancelAll(): void;
  /** Settles when the connection is gone, for whatever reason. Never rejects. */
  readonly closed: Promise<void>;
  /** Ends the connection. Requests in flight reject at once. */
  close(): Promise<void>;
}

/** What the server said of itself in the handshake. */
export interface SessionFacts {
  /** `legacy`: a revision before 2026-07-28, with `initialize`; `modern`: from that revision on. */
  readonly era: 'legacy' | 'modern';
  readonly protocolVersion: string;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** What the server offers, as it was declared; keys that we do not know are kept. */
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
  /** Sent along as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Sent along as members of the request's `params`, beside the tool's name and its arguments. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /**
   * What to do when a server of revision 2026-07-28 needs something of its client first. `answer` (default): whoever answers
   * is asked. `return`: the result says so, as it came.
   */
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** Answers what the server asks meanwhile. Default: the host's handlers. */
  readonly host?: CallHost | undefined;
}

export type SessionRequestOptions = Omit<SessionCallOptions, 'params'>;

/**
 * One request to a server, and who is told what becomes of it: of its progress, and then of its result or its failure,
 * once. After a cancellation nothing is told any more.
 */
export interface OutgoingRequest {
  readonly method: string;
  /** As they are sent, but for `_meta`. Those of a call of a tool have its `name` and its `arguments`. */
  readonly params: RawParams;
  /** How people call it, such as `the call of "x"`. */
  readonly what: string;
  /** Sent along as `_meta`. */
  readonly meta: RawParams | undefined;
  readonly wantsProgress: boolean;
  /** As in the options of `callTool`. */
  readonly inputRequired: 'answer' | 'return' | undefined;
  readonly host: CallHost | undefined;
  onProgress(progress: ToolProgress): void;
  onResult(result: RawResult): void;
  /** @param error - A `SessionLostError` when the connection went away, else a `ManagerError` or a `TypeError`. */
  onFailure(error: unknown): void;
}

/** A request that is on its way. */
export interface RequestHandle {
  /** Whether the server may have it. */
  readonly isSent: boolean;
  /** Gives the request up, and tells the server if it has it. */
  cancel(reason: unknown): void;
}

/** A tool as its server described it, with every key that was sent. */
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

/** What listing a server's tools brought. Valid tools are kept whatever went wrong beside them. */
export interface ToolListing {
  readonly tools: readonly ServerTool[];
  /** `complete`: every page was read. `partial`: what came before the fault. `unavailable`: not even one page. */
  readonly completeness: 'complete' | 'partial' | 'unavailable';
  /** What was wrong, for people. Empty when all was well. */
  readonly problems: readonly string[];
  /** What the page failed with that ended the listing, if one did. */
  readonly cause?: unknown;
}

/** Thrown by a session whose connection went away. `sent` tells whether the request had left by then. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError';
  readonly sent: boolean;
  /** Whether the server received the request and refused it, because it no longer knows the session. */
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
