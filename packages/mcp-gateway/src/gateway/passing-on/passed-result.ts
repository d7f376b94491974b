import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { requireReturnable } from '../bridging/retry.js';
import type { UpstreamResult } from '../upstream.js';

/**
 * A result without its connection-specific parts. Clients of the 2026-07-28 revision get its cache lifetime, but never
 * a public scope: other callers may have other roles. They get required input unchanged.
 *
 * @throws {ProtocolError} -32603 if it is a server request in a form that the client does not support.
 */
export function passedResult(result: UpstreamResult, { isModern }: { readonly isModern: boolean }): UpstreamResult {
  if (isModern && result.resultType === 'input_required') {
    requireReturnable(result);
    return result;
  }
  const { resultType = 'complete', ttlMs, cacheScope: _, ...rest } = result;
  if (resultType !== 'complete') {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'The server behind this needs an answer that it cannot get',
    );
  }
  return isModern && ttlMs !== undefined ? { ...rest, ttlMs, cacheScope: 'private' } : rest;
}

/** Results of extensions, for which the 2026-07-28 revision requires a cache lifetime; the protocol's own have it. */
const CACHEABLE: ReadonlySet<string> = new Set(['skills/list', 'skills/get', 'resources/directory/read']);

/** The result of a method that is passed on unread. */
export function withCacheHints(
  method: string,
  result: UpstreamResult,
  { isModern }: { readonly isModern: boolean },
): UpstreamResult {
  const isHinted = 'cacheScope' in result || (isModern && CACHEABLE.has(method));
  return isHinted ? { ttlMs: 0, ...result, cacheScope: 'private' } : result;
}
