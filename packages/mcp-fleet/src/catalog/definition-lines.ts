const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Definitions as one message has them: each a line. */
export function encodeDefinitions(texts: readonly string[]): Uint8Array {
  return encoder.encode(texts.join('\n'));
}

/** The lines of such a message, whoever has sent it. */
export function readDefinitions(data: Uint8Array): readonly string[] {
  return data.length === 0 ? [] : decoder.decode(data).split('\n');
}
