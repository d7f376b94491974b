/** The client of a request, which responds to server requests meanwhile. */
export interface CallHandler {
  /**
   * Identity of the client, compared with `===`. A server of a revision before 2026-07-28 may not say which call its
   * request belongs to: it goes to the only client with calls in progress, and is refused if there are several.
   */
  readonly client: unknown;
  /**
   * Owner of the client, compared with `===`: all clients of one owner have one share of a server's turns. Default:
   * the principal of the call's `caller`, or the client. Does not cross a fleet.
   */
  readonly owner?: unknown;
  /**
   * The client's capabilities, as `ClientCapabilities` of the protocol. A server of revision 2026-07-28 or later
   * receives them with the request; an earlier one knows those of its connection. Other server requests are refused.
   */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Responds to `sampling/createMessage`, `elicitation/create` or `roots/list` with the request's result. A rejection
   * refuses: an integer `code` of the error and its `data` go to the server with its message.
   */
  answer(request: ServerRequest, context: ClientHandlerContext): Promise<Readonly<Record<string, unknown>>>;
}

/** A server request, as sent. */
export interface ServerRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The server, and the time limit of the response. */
export interface ClientHandlerContext {
  /** Name of the server. */
  readonly server: string;
  /** Aborts when the response is no longer needed: the server or the caller cancelled, or the call ended. */
  readonly signal: AbortSignal;
}
