import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { Era } from './client-request.js';
import { isWritable } from './writable.js';

/** This server's own code, in JSON-RPC's range for servers. MCP gives it no meaning. */
export const REFUSED = -32_000;
/** Before revision 2026-07-28, which uses -32602. */
export const RESOURCE_NOT_FOUND = -32_002;

export function methodNotFound(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
}

export function wrongParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}

/** Keeps the error's code if the revision has it. Omits data that cannot be written as JSON. */
export function rpcError(
  cause: unknown,
  { era, asksForInput }: { readonly era: Era; readonly asksForInput: boolean },
): RpcError {
  const { code, message, data } = (isRecord(cause) ? cause : {}) as {
    code?: unknown;
    message?: unknown;
    data?: unknown;
  };
  const error = {
    code: Number.isSafeInteger(code) ? (code as number) : ProtocolErrorCode.InternalError,
    message: typeof message === 'string' ? message : 'Internal error',
    ...(data !== undefined && isWritable(data) && { data }),
  };
  if (era === 'legacy') return error;
  if (error.code === RESOURCE_NOT_FOUND) return { ...error, code: ProtocolErrorCode.InvalidParams };
  if (!asksForInput || error.code !== ProtocolErrorCode.UrlElicitationRequired) return error;
  return {
    code: ProtocolErrorCode.InternalError,
    message: 'The server asks for a page in a way that this revision has not',
  };
}
