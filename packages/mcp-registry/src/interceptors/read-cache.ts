import { milliseconds, optionTable } from '@x/internal/options';
import type { InterceptedRead, Interceptor, RequestResult } from '@x/internal/views';

/** Bounds of a cache. */
export interface ReadCacheOptions {
  /** Longest time in milliseconds. Caps the `ttlMs` of servers. Default 3 600 000 (1 hour). */
  readonly maxTtlMs?: number | undefined;
  /** Size of all results as JSON, in UTF-16 code units. The oldest go first. Default 16 777 216. */
  readonly maxCharacters?: number | undefined;
}

const rows = optionTable<ReadCacheOptions>()({
  maxTtlMs: { ...milliseconds, default: 3_600_000 },
  maxCharacters: { kind: 'number', of: 'characters', min: 1, default: 16_777_216 },
});

/**
 * Answers reads of resources with an earlier result for as long as its `ttlMs` says. Results with `cacheScope: 'public'`
 * serve all callers that may read the resource, others the same role and principal. A read without a principal is only
 * answered with public results. Updates that a server announces do not end the time.
 *
 * @throws {TypeError} naming the invalid option.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export function cacheReads(options?: ReadCacheOptions): Interceptor {
  const { maxTtlMs, maxCharacters } = rows.read(options);
  const kept = new KeptReads(maxCharacters);
  return {
    name: 'cache-reads',
    async read(read, next) {
      if (read.server === undefined) return next();
      const keys = keysOf(read);
      const known = kept.find(keys.shared) ?? (keys.own === undefined ? undefined : kept.find(keys.own));
      if (known !== undefined) return known;
      const result = await next();
      const { ttlMs, cacheScope, resultType = 'complete' } = result;
      const key = cacheScope === 'public' ? keys.shared : keys.own;
      if (key !== undefined && resultType === 'complete' && typeof ttlMs === 'number' && ttlMs > 0) {
        kept.add(key, result, Math.min(ttlMs, maxTtlMs));
      }
      return result;
    },
  };
}

function keysOf({ server, uri, caller: { role, principal } }: InterceptedRead) {
  return {
    shared: JSON.stringify([server, uri]),
    own: principal === undefined ? undefined : JSON.stringify([server, uri, role, principal]),
  };
}

interface Kept {
  readonly text: string;
  /** By `performance.now()`. */
  readonly until: number;
}

/** Results as JSON, so that no caller edits what another one gets. */
class KeptReads {
  readonly #max: number;
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  find(key: string): RequestResult | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const leftMs = kept.until - performance.now();
    if (leftMs > 0) return { ...JSON.parse(kept.text), ttlMs: Math.ceil(leftMs) };
    this.#drop(key, kept);
    return undefined;
  }

  add(key: string, result: RequestResult, ttlMs: number): void {
    const text = JSON.stringify(result);
    const earlier = this.#kept.get(key);
    if (earlier !== undefined) this.#drop(key, earlier);
    if (key.length + text.length > this.#max) return;
    this.#kept.set(key, { text, until: performance.now() + ttlMs });
    this.#size += key.length + text.length;
    for (const [oldest, kept] of this.#kept) {
      if (this.#size <= this.#max) return;
      this.#drop(oldest, kept);
    }
  }

  #drop(key: string, { text }: Kept): void {
    this.#kept.delete(key);
    this.#size -= key.length + text.length;
  }
}
