import { parseJson } from '@x/internal/json';
import { readJson } from './json.js';
import { type LongText, putLongText, takeLongTexts } from './long-texts.js';
import { partsBytes, readParts, writeParts } from './text-parts.js';

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
const encoder = new TextEncoder();

/** Reused, because allocation costs several times as much as filling. */
let room = new Uint8Array();

export function writeValue(value: unknown): WrittenValue {
  const { rest, texts } = takeLongTexts(value);
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
  if (room.byteLength < maxBytes) room = new Uint8Array(maxBytes);
  return write(letter, value, room.subarray(0, maxBytes));
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
  return texts.every((text, index) => putLongText(rest, paths[index], text)) ? rest : undefined;
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
