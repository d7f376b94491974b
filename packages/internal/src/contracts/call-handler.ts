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
   * The client's capabilities, as `ClientCapabilities` of the protocol. Other server requests are refused. A server of
   * revision 2026-07-28 or later receives them with the request.
   */
  readonly capabilities: Readonly<Record<string, unknown>>;
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
