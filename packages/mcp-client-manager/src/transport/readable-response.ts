import type { JsonRpcMessage } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';

/** Our own error code for "this is no answer", from the range that JSON-RPC leaves to servers. */
export const malformedAnswerCode = -32_091;

/**
 * The message in the form that every reader takes. Servers send an answer with `"error": null` beside its result, or
 * with no object as its result; the first is meant well, and the second must fail its one request at once rather than
 * leave it waiting for its deadline.
 */
export function readableAnswer(message: JsonRpcMessage): JsonRpcMessage {
  const { id, method, result, error } = message;
  if (method !== undefined || (typeof id !== 'number' && typeof id !== 'string')) return message;
  if (isRecord(error)) return { jsonrpc: '2.0', id, error: readableError(error) };
  if (isRecord(result)) return { jsonrpc: '2.0', id, result };
  const what = 'The answer has neither an object as its result nor an error';
  return { jsonrpc: '2.0', id, error: { code: malformedAnswerCode, message: what } };
}

function readableError({ code, message, data }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    code: Number.isSafeInteger(code) ? code : malformedAnswerCode,
    message: typeof message === 'string' ? message : 'The error has no message',
    ...(data !== undefined && { data }),
  };
}
