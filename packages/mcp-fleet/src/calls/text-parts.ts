/** The number of a part's bytes, the highest first. */
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();
/** A text may begin with U+FEFF, and what is no UTF-8 is not to be read as some other text. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Writes texts one after another in UTF-8, each after the number of its bytes.
 *
 * @param texts - With both halves of each surrogate pair.
 * @returns How many bytes they take; `undefined` when there are not so many.
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

/** How many bytes they take when each character takes so many: ASCII takes one, and nothing more than three. */
export function partsBytes(texts: readonly string[], bytesPerCharacter: 1 | 3): number {
  return texts.reduce((sum, text) => sum + LENGTH_BYTES + text.length * bytesPerCharacter, 0);
}

/** The texts that were written into all of the bytes; `undefined` when there are no such texts. */
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
