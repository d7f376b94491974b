import { ProtocolError } from '@modelcontextprotocol/server';
import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { RESOURCE_NOT_FOUND } from '../server/methods/responses.js';

export function rpcErrorOf(error: unknown): RpcError | undefined {
  const given = isRecord(error) && isRecord(error.rpc) ? error.rpc : error;
  if (!isRecord(given) || !Number.isSafeInteger(given.code) || typeof given.message !== 'string') return undefined;
  return { code: given.code as number, message: given.message, data: given.data };
}

export function passedOn({ code, message, data }: RpcError): ProtocolError {
  return new ProtocolError(code, message, data);
}

/** Reports a forbidden resource like a nonexistent one. */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(RESOURCE_NOT_FOUND, 'Resource not found', { uri });
}

/** One word for clients that must not see more: messages may contain commands, paths and secrets. */
export function reasonOf(error: unknown): string {
  const code = isRecord(error) ? error.code : undefined;
  return typeof code === 'string' && /^[a-z][a-z-]{0,40}$/.test(code) ? code : 'failed';
}

/** The public part of a failure in which the server did not respond. */
export interface FailureFacts {
  /** One word, such as `timed-out`. */
  readonly reason: string;
  /** True if a repeated request may succeed and cannot take effect twice. Absent if unknown. */
  readonly retryable?: boolean;
  /** Delay before a retry, in milliseconds, if known. */
  readonly retryAfterMs?: number;
}

export function failureFacts(error: unknown): FailureFacts {
  const { retryable, retryAfterMs } = isRecord(error) ? error : {};
  return {
    reason: reasonOf(error),
    ...(typeof retryable === 'boolean' && { retryable }),
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
  };
}
