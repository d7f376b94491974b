import type { FetchLike } from '@modelcontextprotocol/client';

/** Which token each refused request was sent with: by the time that a refusal comes there may be another. */
export class SentTokens {
  readonly #refused = new WeakMap<Response, string>();

  /** @param baseFetch - What it answers with must reach whoever asks here for its token. */
  noting(baseFetch: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await baseFetch(url, init);
      const [, token] = new Headers(init?.headers ?? undefined).get('authorization')?.split(' ') ?? [];
      if (response.status === 401 && token !== undefined) this.#refused.set(response, token);
      return response;
    };
  }

  /** The token that was refused by `response`, if there was one. */
  refusedBy(response: Response): string | undefined {
    return this.#refused.get(response);
  }
}
