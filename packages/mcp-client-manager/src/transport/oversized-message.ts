import type { JsonRpcMessage } from './message-channel.js';

/** Our own error code for "the result was larger than the limit", from the range that JSON-RPC leaves to servers. */
export const resultTooLargeCode = -32_090;

/**
 * The answer that stands in for a message over the size limit, so that the one request it belongs to fails and every
 * other goes on. Servers write the id first or last, so it is in one of the message's two ends.
 */
export function answerForOversized({
  head,
  tail,
  bytes,
  maxBytes,
}: {
  head: string;
  tail: string;
  bytes: number;
  maxBytes: number;
}): JsonRpcMessage | undefined {
  const id = /^\{(?:"jsonrpc":"2\.0",)?\s*"id":\s*(\d+)/.exec(head)?.[1] ?? /"id":\s*(\d+)\s*\}\s*$/.exec(tail)?.[1];
  if (id === undefined) return undefined;
  return {
    jsonrpc: '2.0',
    id: Number(id),
    error: { code: resultTooLargeCode, message: `The result has ${bytes} bytes; the limit is ${maxBytes}.` },
  };
}
