/** Length prefix of a part: 32 bits, big-endian. */
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();
/** Keeps a leading U+FEFF and rejects malformed UTF-8. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Writes texts in UTF-8, each after its length in bytes.
 *
 * @param texts - Well-formed: no lone surrogates.
 * @returns Bytes written; `undefined` if they do not fit.
 */
export function writeParts(texts: readonly string[], bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = 0;
  for (const text of texts) {
    const start = end + LENGTH_BYTES;
    const { read, written } = encoder.encodeInto(text, bytes.subarray(start));
    if (read < text.length || start > bytes.byteLength) return undefined;
    view.setUint32(end, written);
    end = start + written;
  }
  return end;
}

/** Length of the parts at 1 byte (ASCII) or 3 bytes (the most) per character. */
export function partsBytes(texts: readonly string[], bytesPerCharacter: 1 | 3): number {
  return texts.reduce((sum, text) => sum + LENGTH_BYTES + text.length * bytesPerCharacter, 0);
}

export function readParts(bytes: Uint8Array): readonly string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const start = at + LENGTH_BYTES;
    const end = start > bytes.byteLength ? Number.POSITIVE_INFINITY : start + view.getUint32(at);
    const text = end > bytes.byteLength ? undefined : readText(bytes.subarray(start, end));
    if (text === undefined) return undefined;
    texts.push(text);
    at = end;
  }
  return texts;
}

function readText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
