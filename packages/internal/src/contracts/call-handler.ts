/** The client that a request is made for. Answers what the server asks of its client meanwhile. */
export interface CallHandler {
  /**
   * Identity of the client, compared with `===`. A server of a revision before 2026-07-28 may not say which call its question
   * is about: the question goes to the one client that has calls in progress, and is refused if several have.
   */
  readonly client: unknown;
  /**
   * Owner of the client, compared with `===`: all clients of one owner have one share of a server's turns. Default: the
   * principal of the call's `caller`, else the client. Does not cross a fleet.
   */
  readonly owner?: unknown;
  /**
   * The client's abilities, as `ClientCapabilities` of the protocol. A server of revision 2026-07-28 or later receives them
   * with the request; an earlier one knows those of its connection. Other questions are refused.
   */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Answers `sampling/createMessage`, `elicitation/create` or `roots/list` with the request's result. Rejecting refuses: an
   * integer `code` of the error and its `data` go to the server with its message.
   */
  answer(request: ServerRequest, context: ClientHandlerContext): Promise<Readonly<Record<string, unknown>>>;
}

/** A request of a server to its client, as it was sent. */
export interface ServerRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The asking server, and the time for an answer. */
export interface ClientHandlerContext {
  /** Name of the server. */
  readonly server: string;
  /** Aborts when the answer is no longer needed: the server or the caller cancelled, or the call ended. */
  readonly signal: AbortSignal;
}
