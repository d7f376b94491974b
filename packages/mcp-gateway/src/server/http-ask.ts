/** A request, independent of the HTTP stack. */
export interface HttpAsk {
  readonly method: string;
  readonly url: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** @param name - In lower case. */
  header(name: string): string | null;
  /** Calls `take` for each piece of the body, until the end or a `false`. Rejects for an incomplete body. */
  readBody(take: (piece: Uint8Array) => boolean): Promise<void>;
  /** The request without a readable body. */
  toRequest(): Request;
}

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
