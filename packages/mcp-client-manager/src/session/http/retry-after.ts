import type { FetchLike } from '@modelcontextprotocol/client';
import { isRateLimited, isUnavailable } from './http-failure.js';

const maxWaitMs = 24 * 3_600_000;

/** Records `Retry-After` headers, which the SDK's errors omit. */
export class RetryAfter {
  #ms: number | undefined;

  /** `undefined` if the last header was missing or invalid. */
  get ms(): number | undefined {
    return this.#ms;
  }

  record(baseFetch: FetchLike): FetchLike {
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
  const date = text.endsWith('GMT') ? Date.parse(text) : Number.NaN; // `Date.parse` accepts more than HTTP dates
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : date - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxWaitMs) : undefined;
}
