const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeDefinitions(texts: readonly string[]): Uint8Array {
  return encoder.encode(texts.join('\n'));
}

export function readDefinitions(data: Uint8Array): readonly string[] {
  return data.length === 0 ? [] : decoder.decode(data).split('\n');
}
