import { encodeFinal, encodeSize } from '../wire/replies.js';
import { failureOf, type WireError } from '../wire/wire-error.js';
import { lengthOf, toWhole, type WrittenValue, writeValue } from '../wire/wire-value.js';

export type WrittenResult =
  | { readonly message: Uint8Array; readonly rest?: Uint8Array | undefined; readonly error?: never }
  | { readonly error: WireError };

export interface ResultBounds {
  readonly node: string;
  readonly tool: string;
  readonly maxMessageBytes: number;
  readonly maxResultBytes: number;
}

/** Encodes a result. Send the message before the next one is encoded: they share memory. */
export function writeResult(
  result: unknown,
  { node, tool, maxMessageBytes, maxResultBytes }: ResultBounds,
): WrittenResult {
  let written: WrittenValue;
  try {
    written = writeValue(result);
  } catch {
    const error = new TypeError(`The result of ${tool} cannot be written as JSON; the tool has run`);
    return { error: { source: failureOf(error) } };
  }
  const message = encodeFinal(written, Math.min(maxMessageBytes, 1 + maxResultBytes));
  if (message !== undefined) return { message };
  const rest = toWhole(written, maxResultBytes);
  if (rest !== undefined) return { message: encodeSize(rest.byteLength), rest };
  const words = `The result of ${tool} has ${lengthOf(written)} bytes or more, and the node ${node} sends at most ${maxResultBytes}; the tool has run`;
  return { error: { fleet: 'result-too-large', message: words } };
}
