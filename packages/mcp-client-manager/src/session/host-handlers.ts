/**
 * What a host answers when a server asks it for something. Each handler that is given is announced to servers as a
 * capability, and nothing else is; a server that asks for more is refused.
 */
export interface HostHandlers {
  /** `sampling/createMessage`: lets the host's model write something. Gives `{ role, content, model }`. */
  readonly sampling?: HostHandler | undefined;
  /** `sampling/createMessage` with `tools` among its params. May be the same function as `sampling`. */
  readonly samplingWithTools?: HostHandler | undefined;
  /** `elicitation/create` with a form: asks the user for the fields of `requestedSchema`. Gives `{ action, content? }`. */
  readonly elicitation?: HostHandler | undefined;
  /** `elicitation/create` in mode `url`: lets the user visit a page. Gives `{ action }`. */
  readonly urlElicitation?: HostHandler | undefined;
  /** `roots/list`: the directories that the user works in. Gives `{ roots: [{ uri, name? }] }`. */
  readonly roots?: HostHandler | undefined;
  /** `notifications/elicitation/complete`: what the user was to do at a URL is done. Its answer goes nowhere. */
  readonly elicitationCompleted?: HostHandler | undefined;
}

/**
 * Takes the request's `params` as they came and gives the request's result, or a promise of it. Throwing refuses: an
 * integer `code` of the error and its `data` go to the server with its message.
 */
export type HostHandler = (params: Readonly<Record<string, unknown>>, context: HostHandlerContext) => unknown;

/** Who asks, and until when. */
export interface HostHandlerContext {
  /** The server that asks, as named in its spec. */
  readonly server: string;
  /** Aborts when nobody waits for the answer any more: the server or the caller has cancelled, or the connection ended. */
  readonly signal: AbortSignal;
}
