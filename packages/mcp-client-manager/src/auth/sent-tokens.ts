import type { FetchLike } from '@modelcontextprotocol/client';

/** Records the token of each refused request, since the current token may differ by the time of the refusal. */
export class SentTokens {
  readonly #refused = new WeakMap<Response, string>();

  /** @param baseFetch - Its `Response` objects are the keys of `refusedBy`. */
  record(baseFetch: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await baseFetch(url, init);
      const [, token] = new Headers(init?.headers ?? undefined).get('authorization')?.split(' ') ?? [];
      if (response.status === 401 && token !== undefined) this.#refused.set(response, token);
      return response;
    };
  }

  /** The token that `response` refused. */
  refusedBy(response: Response): string | undefined {
    return this.#refused.get(response);
  }
}
