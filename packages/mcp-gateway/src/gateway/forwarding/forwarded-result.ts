import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { requireReturnable } from '../bridging/required-input.js';
import type { UpstreamResult } from '../upstream.js';

/**
 * Removes what belongs to the server's connection. The cache scope becomes private: other callers may have other roles.
 *
 * @throws {ProtocolError} -32603 if the result asks for input in a form that the client does not support.
 */
export function forwardedResult(result: UpstreamResult, { isModern }: { readonly isModern: boolean }): UpstreamResult {
  if (isModern && result.resultType === 'input_required') {
    requireReturnable(result);
    return result;
  }
  const { resultType = 'complete', ttlMs, cacheScope: _, ...rest } = result;
  if (resultType !== 'complete') {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'The server asks for input in a form that the client does not support',
    );
  }
  return isModern && ttlMs !== undefined ? { ...rest, ttlMs, cacheScope: 'private' } : rest;
}

/** Results of extensions for which revision 2026-07-28 requires a cache lifetime. */
const CACHEABLE: ReadonlySet<string> = new Set(['skills/list', 'skills/get', 'resources/directory/read']);

export function withCacheHints(
  method: string,
  result: UpstreamResult,
  { isModern }: { readonly isModern: boolean },
): UpstreamResult {
  const isHinted = 'cacheScope' in result || (isModern && CACHEABLE.has(method));
  return isHinted ? { ttlMs: 0, ...result, cacheScope: 'private' } : result;
}
