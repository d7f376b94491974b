import type { JsonRpcMessage } from '@x/internal/contracts';
import { isRecord, parseJson } from '@x/internal/json';

/** Messages per batch. A longer one is junk. */
const maxBatch = 1_000;

/** Removes a byte order mark, which some servers write first. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Messages of a batch of revision 2025-03-26; `undefined` for any other text, including `[]`. */
export function readBatch(text: string): readonly JsonRpcMessage[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  const values = parseJson(text);
  if (!Array.isArray(values) || values.length > maxBatch) return undefined;
  const messages = values.filter(isMessage);
  return messages.length > 0 ? messages : undefined;
}

/** `undefined` for banners, log lines, fragments and any other JSON. */
export function readMessage(text: string): JsonRpcMessage | undefined {
  const value = parseJson(text);
  return isMessage(value) ? value : undefined;
}

function isMessage(value: unknown): value is JsonRpcMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
}

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
