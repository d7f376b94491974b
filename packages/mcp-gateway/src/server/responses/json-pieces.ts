import type { CallerTurns } from '../caller-turns.js';
import { isLarger } from '../message-sizes.js';

/** Characters per piece, which takes about a millisecond to write. */
const PIECE_CHARS = 256 * 1024;
/** Levels that are split: the measuring starts again at each. */
const MAX_DEPTH = 16;

const UTF8 = new TextEncoder();

/** Encodes `JSON.stringify(value)` in turns of the caller, while `isNeeded`. */
export async function encodeInTurns(
  value: unknown,
  turns: CallerTurns,
  caller: string,
  isNeeded: () => boolean = () => true,
): Promise<readonly Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length < PIECE_CHARS) continue;
    await turns.acquire(caller);
    if (!isNeeded()) return [];
    encoded.push(UTF8.encode(text));
    text = '';
  }
  encoded.push(UTF8.encode(text));
  return encoded;
}

/** Yields the text of `JSON.stringify(value)`. Splits only values larger than a piece. */
export function* jsonPieces(
  value: unknown,
  { maxChars = PIECE_CHARS, depth = 0 }: { readonly maxChars?: number; readonly depth?: number } = {},
): Generator<string, void, undefined> {
  const inner = { maxChars, depth: depth + 1 };
  if (typeof value === 'string' && value.length > maxChars) {
    yield* stringPieces(value, maxChars);
  } else if (depth > MAX_DEPTH || !isPlain(value) || !isLarger(value, maxChars)) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* jsonPieces(item, inner);
    }
    yield ']';
  } else {
    let separator = '{';
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* jsonPieces(item, inner);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  }
}

function* stringPieces(text: string, maxChars: number): Generator<string, void, undefined> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    const end = at + maxChars;
    // JSON.stringify would escape a split surrogate pair.
    const next = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end)) ? end + 1 : end;
    yield JSON.stringify(text.slice(at, next)).slice(1, -1);
    at = next;
  }
  yield '"';
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/** True if JSON.stringify writes exactly the value's entries, as for parsed JSON. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
