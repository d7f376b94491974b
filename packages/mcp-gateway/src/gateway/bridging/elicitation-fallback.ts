/**
 * A person or program that answers elicitation of servers for clients that do not support it. Does not get approvals of
 * calls by elicitation, which are questions for the client's own user.
 */
export interface ElicitationFallback {
  /** True while it can answer. Read for each call and each question; `false` gives servers the error of the client. */
  readonly isAvailable: boolean;
  /** Responds with the result of `elicitation/create`. A rejection becomes the error for the server. */
  answer(question: FallbackQuestion): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Called after a yes to each page that an error of a server requires (-32042), and resolves once the user
   * is done there: `true` makes the request again. Default: clients without support of pages get the error.
   */
  visited?(question: Omit<FallbackQuestion, 'params'>): Promise<boolean>;
}

/** An elicitation request during a call. */
export interface FallbackQuestion {
  readonly server: string;
  /** Those of `elicitation/create`, as the server wrote them. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Name of the client of the call, as it introduced itself. */
  readonly client: string | undefined;
  /** Who the client has signed in as. Absent where callers are not known. */
  readonly principal?: string | undefined;
  /** Aborts when the call or its time limit ends. */
  readonly signal: AbortSignal;
}
