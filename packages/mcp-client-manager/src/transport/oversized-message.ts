import type { JsonRpcMessage } from '@x/internal/contracts';

/** Our own error code for "the result was larger than the limit", from the range that JSON-RPC leaves to servers. */
export const resultTooLargeCode = -32_090;

const version = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
/** Some servers send the id that they got as a number back as text. */
const identifier = String.raw`"id"\s*:\s*(?<quote>"?)(?<id>\d+)\k<quote>`;
const comma = String.raw`\s*,\s*`;
const open = String.raw`^\s*\{\s*`;
const close = String.raw`\s*\}\s*$`;
const outcome = String.raw`"(?:result|error)"\s*:`;

const idFirst = new RegExp(`${open}(?:${version}${comma})?${identifier}${comma}(?:${version}${comma})?${outcome}`);
const outcomeFirst = new RegExp(`${open}(?:${version}${comma})?${outcome}`);
const idLast = new RegExp(`${identifier}(?:${comma}${version})?${close}`);

/**
 * The answer that stands in for a message over the size limit, so that the one request it belongs to fails and every
 * other goes on. Servers write the id first or last, so it is in one of the message's two ends. A request of the
 * server's own has an id, too, which is not one of ours: only what has a result or an error is an answer.
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
  const found = idFirst.exec(head) ?? (outcomeFirst.test(head) ? idLast.exec(tail) : undefined);
  const id = found?.groups?.id;
  if (id === undefined) return undefined;
  return {
    jsonrpc: '2.0',
    id: Number(id),
    error: { code: resultTooLargeCode, message: `The result has ${bytes} bytes; the limit is ${maxBytes}.` },
  };
}

/** The same for a request whose id is known, from a sender who may have wanted to send any number of bytes. */
export function oversizedAnswer(id: string | number, { maxBytes }: { maxBytes: number }): JsonRpcMessage {
  const message = `The result has more than ${maxBytes} bytes, which is the limit.`;
  return { jsonrpc: '2.0', id, error: { code: resultTooLargeCode, message } };
}
