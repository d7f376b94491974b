const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What the bytes say; `undefined` when they are no JSON. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

export function toBytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * A letter of ASCII and a text that may be long. Most texts are ASCII and fit into as many bytes, which is several times as
 * fast as `encode`, and so is it not to join the two first.
 */
export function toLongBytes(letter: string, text: string): Uint8Array {
  const bytes = new Uint8Array(1 + text.length);
  bytes[0] = letter.charCodeAt(0);
  const { read, written } = encoder.encodeInto(text, bytes.subarray(1));
  if (read === text.length) return bytes;
  const rest = encoder.encode(text.slice(read));
  const all = new Uint8Array(1 + written + rest.byteLength);
  all.set(bytes.subarray(0, 1 + written));
  all.set(rest, 1 + written);
  return all;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number of things: of bytes, of chunks, of an incarnation. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
