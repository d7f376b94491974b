import { parseJson } from '@x/internal/json';
import { readJson } from './json.js';
import { extractLongTexts, type LongText, restoreLongText } from './long-texts.js';

/**
 * Encoded value: JSON with its long texts apart, because escaping a text costs more than sending it.
 *
 * Without long texts the bytes are the JSON. Otherwise they are a 0 byte, which starts no JSON, and length-prefixed
 * parts: the JSON `[rest, paths]`, where `rest` has empty texts, then the texts in the order of `paths`.
 */
export interface WrittenValue {
  readonly json: string;
  readonly texts: readonly LongText[];
}

const PARTS = 0;
/** Length prefix of a part: 32 bits, big-endian. */
const LENGTH_BYTES = 4;
const encoder = new TextEncoder();
/** Keeps a leading U+FEFF and rejects malformed UTF-8. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reused, because allocation costs several times as much as filling. */
let buffer = new Uint8Array();

export function writeValue(value: unknown): WrittenValue {
  const { rest, texts } = extractLongTexts(value);
  return { json: JSON.stringify(rest) ?? 'null', texts };
}

export function lengthOf({ json, texts }: WrittenValue): number {
  return texts.reduce((sum, { text }) => sum + text.length, json.length);
}

/**
 * @param letter - First byte: one ASCII letter, or empty.
 * @returns Shared memory; send it before the next message is encoded. `undefined` if the value exceeds `maxBytes`.
 */
export function toMessage(letter: string, value: WrittenValue, maxBytes: number): Uint8Array | undefined {
  if (letter.length + lengthOf(value) > maxBytes) return undefined;
  if (buffer.byteLength < maxBytes) buffer = new Uint8Array(maxBytes);
  return write(letter, value, buffer.subarray(0, maxBytes));
}

/** Bytes of the value in new memory; `undefined` if they exceed `maxBytes`. */
export function toWhole(value: WrittenValue, maxBytes: number): Uint8Array | undefined {
  const parts = partsOf(value);
  for (const bytesPerCharacter of [1, 3] as const) {
    const most = 1 + partsBytes(parts, bytesPerCharacter);
    const bytes = write('', value, new Uint8Array(Math.min(most, maxBytes)));
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

export function readValue(bytes: Uint8Array): unknown {
  if (bytes[0] !== PARTS) return readJson(bytes);
  const [head = '', ...texts] = readParts(bytes.subarray(1)) ?? [];
  const read = parseJson(head);
  const [rest, paths]: readonly unknown[] = Array.isArray(read) ? read : [];
  if (!Array.isArray(paths) || paths.length !== texts.length) return undefined;
  return texts.every((text, index) => restoreLongText(rest, paths[index], text)) ? rest : undefined;
}

function write(letter: string, value: WrittenValue, bytes: Uint8Array): Uint8Array | undefined {
  const body = bytes.subarray(letter.length);
  const length = value.texts.length === 0 ? writeJson(value, body) : writeWithTexts(value, body);
  if (length === undefined) return undefined;
  if (letter !== '') bytes[0] = letter.charCodeAt(0);
  return bytes.subarray(0, letter.length + length);
}

function writeJson({ json }: WrittenValue, bytes: Uint8Array): number | undefined {
  const { read, written } = encoder.encodeInto(json, bytes);
  return read < json.length ? undefined : written;
}

function writeWithTexts(value: WrittenValue, bytes: Uint8Array): number | undefined {
  const length = writeParts(partsOf(value), bytes.subarray(1));
  if (length === undefined) return undefined;
  bytes[0] = PARTS;
  return 1 + length;
}

function partsOf({ json, texts }: WrittenValue): readonly string[] {
  const paths = JSON.stringify(texts.map(({ path }) => path));
  return [`[${json},${paths}]`, ...texts.map(({ text }) => text)];
}

/**
 * Writes texts in UTF-8, each after its length in bytes.
 *
 * @param texts - Well-formed: no lone surrogates.
 * @returns Bytes written; `undefined` if they do not fit.
 */
function writeParts(texts: readonly string[], bytes: Uint8Array): number | undefined {
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
function partsBytes(texts: readonly string[], bytesPerCharacter: 1 | 3): number {
  return texts.reduce((sum, text) => sum + LENGTH_BYTES + text.length * bytesPerCharacter, 0);
}

function readParts(bytes: Uint8Array): readonly string[] | undefined {
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
