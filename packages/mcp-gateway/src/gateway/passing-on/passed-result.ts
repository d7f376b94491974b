import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { requireReturnable } from '../bridging/retry.js';
import type { UpstreamResult } from '../upstream.js';

/**
 * A result without what is about the connection that it came by. How long it may be kept stays said to clients of the
 * 2026-07-28 revision, but never for anybody else: other callers may have other roles. What a server needs first is passed
 * on to them as it came.
 *
 * @throws {ProtocolError} -32603 if it is none yet, but a question of the server's that the client does not understand.
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

/** Of extensions, whose results the 2026-07-28 revision wants to say how long they may be kept; its own are seen to. */
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
