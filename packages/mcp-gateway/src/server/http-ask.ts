/** A request, independent of the HTTP stack. */
export interface HttpAsk {
  readonly method: string;
  readonly url: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** @param name - In lower case. */
  header(name: string): string | null;
  /**
   * Passes the body piece by piece, until its end or until `take` returns `false`. Rejects if it does not arrive
   * whole.
   */
  readBody(take: (piece: Uint8Array) => boolean): Promise<void>;
  /** The same as a `Request`; do not read its body. */
  toRequest(): Request;
}

/** A request of the Fetch standard. */
export function askOf(request: Request): HttpAsk {
  return {
    method: request.method,
    url: request.url,
    signal: request.signal,
    header: (name) => request.headers.get(name),
    async readBody(take) {
      const reader = request.body?.getReader();
      if (reader === undefined) return;
      for (;;) {
        const { done, value } = await reader.read();
        if (done || !take(value)) return;
      }
    },
    toRequest: () => request,
  };
}
