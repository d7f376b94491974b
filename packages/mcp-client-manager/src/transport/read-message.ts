import type { JsonRpcMessage } from './message-channel.js';

/** The JSON-RPC message that a text is; `undefined` for a banner, a log line, half a message or any other JSON. */
export function readMessage(text: string): JsonRpcMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isMessage(value) ? value : undefined;
}

function isMessage(value: unknown): value is JsonRpcMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
}
