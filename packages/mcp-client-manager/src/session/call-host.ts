/** Who a call or another request is made for, as far as its server may ask for something meanwhile. */
export interface CallHost {
  /**
   * Who that is: compared with `===`. A server of the revisions before 2026-07-28 may not say which of the calls under way
   * its question is about; it goes to the one client that has any, and is refused when several have.
   */
  readonly client: unknown;
  /**
   * To whom the client belongs, compared with `===`: all clients of one owner have one share of a server's turns. Default:
   * the principal of the call's `caller`, or else the client itself.
   */
  readonly owner?: unknown;
  /**
   * What that client can do, as `ClientCapabilities` of the protocol. From revision 2026-07-28 on the server is told so with
   * this very request, and of nothing else; before, it knows what the manager has announced to it. It gets no answer to
   * anything that is not in here.
   */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Answers `sampling/createMessage`, `elicitation/create` or `roots/list` with the request's result. Rejecting refuses: an
   * integer `code` of the error and its `data` go to the server with its message.
   */
  answer(request: HostQuestion, context: CallHostContext): Promise<Readonly<Record<string, unknown>>>;
}

/** A host whose call is told how long it waits for it. */
export interface AwaitedHost extends CallHost {
  /**
   * To be called when there is something to be answered.
   * @returns To be called once it is. The call goes on when what that returns resolves, or at once.
   */
  waits?(): () => Promise<void> | undefined;
}

/** What a server asks of its client, as it was sent. */
export interface HostQuestion {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Who asks during a call, and until when. */
export interface CallHostContext {
  /** The server that asks, as named in its spec. */
  readonly server: string;
  /** Aborts when nobody waits for the answer any more: the server or the caller has cancelled, or the call has ended. */
  readonly signal: AbortSignal;
}
