import type { JsonRpcMessage } from '@x/internal/contracts';

/** Error code from the range reserved for servers. */
export const resultTooLargeCode = -32_090;

const version = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
/** Some servers return a numeric id as text. */
const identifier = String.raw`"id"\s*:\s*(?<quote>"?)(?<id>\d+)\k<quote>`;
const comma = String.raw`\s*,\s*`;
const open = String.raw`^\s*\{\s*`;
const close = String.raw`\s*\}\s*$`;
const outcome = String.raw`"(?:result|error)"\s*:`;

const idFirst = new RegExp(`${open}(?:${version}${comma})?${identifier}${comma}(?:${version}${comma})?${outcome}`);
const outcomeFirst = new RegExp(`${open}(?:${version}${comma})?${outcome}`);
const idLast = new RegExp(`${identifier}(?:${comma}${version})?${close}`);

/**
 * Only the request of an oversized response fails. Servers write the id first or last, so one of the two ends contains
 * it. Messages without a result or an error are no responses.
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

/** Replaces the response to a known request, whose size is unknown. */
export function oversizedAnswer(id: string | number, { maxBytes }: { maxBytes: number }): JsonRpcMessage {
  const message = `The result has more than ${maxBytes} bytes, which is the limit.`;
  return { jsonrpc: '2.0', id, error: { code: resultTooLargeCode, message } };
}
