import { encodeFinal } from './replies.js';
import { failureOf, type WireError } from './wire-error.js';

/** A result as one message, however long; or why there is none. */
export type WrittenResult =
  | { readonly message: Uint8Array; readonly error?: never }
  | { readonly message?: never; readonly error: WireError };

/** Writes what a tool has answered. */
export function writeResult(
  result: unknown,
  { host, tool, maxResultBytes }: { readonly host: string; readonly tool: string; readonly maxResultBytes: number },
): WrittenResult {
  let json: string;
  try {
    json = JSON.stringify(result) ?? 'null';
  } catch {
    const error = new TypeError(`The result of ${tool} cannot be written as JSON; the tool has run`);
    return { error: { source: failureOf(error) } };
  }
  // No text has fewer bytes than characters: one that is too long already is not encoded first.
  const message = json.length > maxResultBytes ? undefined : encodeFinal(json);
  const bytes = message === undefined ? json.length : message.byteLength - 1;
  if (message !== undefined && bytes <= maxResultBytes) return { message };
  const size = message === undefined ? `${bytes} bytes or more` : `${bytes} bytes`;
  const words = `The result of ${tool} has ${size}, and the host ${host} sends at most ${maxResultBytes}; the tool has run`;
  return { error: { fleet: 'result-too-large', message: words } };
}
