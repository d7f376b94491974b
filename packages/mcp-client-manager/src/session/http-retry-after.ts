import type { FetchLike } from '@modelcontextprotocol/client';
import { isRateLimited, isUnavailable } from './http-failure.js';

/** Longer waits are not believed, in milliseconds. */
const maxWaitMs = 24 * 3_600_000;

/** When a server that has no time wants to be asked again. The SDK's errors do not tell, so it is read on the way. */
export class RetryAfter {
  #ms: number | undefined;

  /** What the server said last, in milliseconds from then on; `undefined` when it said nothing that can be read. */
  get ms(): number | undefined {
    return this.#ms;
  }

  noting(baseFetch: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await baseFetch(url, init);
      const { status } = response;
      if (isRateLimited(status) || isUnavailable(status))
        this.#ms = retryAfterMs(response.headers.get('retry-after'), Date.now());
      return response;
    };
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
export function retryAfterMs(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const date = text.endsWith('GMT') ? Date.parse(text) : Number.NaN; // what else is a date to the parser is none of HTTP
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : date - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxWaitMs) : undefined;
}
