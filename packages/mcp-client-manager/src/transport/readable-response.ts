import type { JsonRpcMessage } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';

/** Error code from the range reserved for servers. */
export const malformedResponseCode = -32_091;

/**
 * Servers send `"error": null` beside a result, which is harmless, or a result that is no object, which must fail its
 * request at once instead of timing out.
 */
export function readableResponse(message: JsonRpcMessage): JsonRpcMessage {
  const { id, method, result, error } = message;
  if (method !== undefined || (typeof id !== 'number' && typeof id !== 'string')) return message;
  if (isRecord(error)) return { jsonrpc: '2.0', id, error: readableError(error) };
  if (isRecord(result)) return { jsonrpc: '2.0', id, result };
  const what = 'The response has neither a result object nor an error';
  return { jsonrpc: '2.0', id, error: { code: malformedResponseCode, message: what } };
}

function readableError({ code, message, data }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    code: Number.isSafeInteger(code) ? code : malformedResponseCode,
    message: typeof message === 'string' ? message : 'The error has no message',
    ...(data !== undefined && { data }),
  };
}
