import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { UpstreamResult } from './upstream.js';

/**
 * A result without what is about the connection that it came by. How long it may be kept stays said to clients of the
 * 2026-07-28 revision, but never for anybody else: other callers may have other roles.
 *
 * @throws {ProtocolError} -32603 if it is none yet, but a question of the server's.
 */
export function passedResult(result: UpstreamResult, { isModern }: { readonly isModern: boolean }): UpstreamResult {
  const { resultType = 'complete', ttlMs, cacheScope: _, ...rest } = result;
  if (resultType !== 'complete') {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'The server behind this needs an answer that it cannot get',
    );
  }
  return isModern && ttlMs !== undefined ? { ...rest, ttlMs, cacheScope: 'private' } : rest;
}
