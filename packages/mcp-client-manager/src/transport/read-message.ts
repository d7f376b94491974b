import type { JsonRpcMessage } from '@x/internal/contracts';
import { parseJson } from '@x/internal/json';

/** Messages that one batch may have; a longer one is none. */
const maxBatch = 1_000;

/** The text without a byte order mark, which some servers write before their first message. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** The messages of a batch, as revision 2025-03-26 has them; `undefined` for any other text, also for `[]`. */
export function readBatch(text: string): readonly JsonRpcMessage[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  const values = parseJson(text);
  if (!Array.isArray(values) || values.length > maxBatch) return undefined;
  const messages = values.filter(isMessage);
  return messages.length > 0 ? messages : undefined;
}

/** The JSON-RPC message that a text is; `undefined` for a banner, a log line, half a message or any other JSON. */
export function readMessage(text: string): JsonRpcMessage | undefined {
  const value = parseJson(text);
  return isMessage(value) ? value : undefined;
}

function isMessage(value: unknown): value is JsonRpcMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
}
