import type { FetchLike } from '@modelcontextprotocol/client';

/** Records the token of each refused request. The current token may differ by then. */
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

  refusedBy(response: Response): string | undefined {
    return this.#refused.get(response);
  }
}
