import { ProtocolError } from '@modelcontextprotocol/server';
import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { RESOURCE_NOT_FOUND } from '../server/methods/rpc-errors.js';

/** What a server has answered with, if that is what `error` is about. */
export function rpcErrorOf(error: unknown): RpcError | undefined {
  const given = isRecord(error) && isRecord(error.rpc) ? error.rpc : error;
  if (!isRecord(given) || !Number.isSafeInteger(given.code) || typeof given.message !== 'string') return undefined;
  return { code: given.code as number, message: given.message, data: given.data };
}

/** To be thrown at the client: the server's own error, unchanged. */
export function passedOn({ code, message, data }: RpcError): ProtocolError {
  return new ProtocolError(code, message, data);
}

/** One that may not be used is answered as one that there is not. */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(RESOURCE_NOT_FOUND, 'Resource not found', { uri });
}

/** A word for what went wrong, for those who must not read more: messages may tell of commands, paths and secrets. */
export function reasonOf(error: unknown): string {
  const code = isRecord(error) ? error.code : undefined;
  return typeof code === 'string' && /^[a-z][a-z-]{0,40}$/.test(code) ? code : 'failed';
}

/** What clients learn of a failure that no server answered with. */
export interface FailureFacts {
  /** A word, such as `timed-out`. */
  readonly reason: string;
  /** Whether the same request, made again, may go well and cannot take effect twice. Absent where nobody knows. */
  readonly retryable?: boolean;
  /** How long to wait before that, in milliseconds, when that is known. */
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
