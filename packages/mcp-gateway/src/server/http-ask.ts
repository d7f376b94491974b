/** A request, whatever it came by. */
export interface HttpAsk {
  readonly method: string;
  readonly url: string;
  /** Aborts when whoever asks is gone. */
  readonly signal: AbortSignal;
  /** @param name - In lower case. */
  header(name: string): string | null;
  /** Hands over the body piece by piece, until it is over or `take` gives `false`. Rejects if it does not arrive whole. */
  readBody(take: (piece: Uint8Array) => boolean): Promise<void>;
  /** The same as a `Request`; its body is not to be read. */
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
