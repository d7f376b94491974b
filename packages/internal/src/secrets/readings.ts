import type { TextRange } from '../text.js';

/** A text as a reader may see or decode it. */
export interface Reading {
  readonly text: string;
  /** Source ranges that the reading omits or replaces by a blank. */
  readonly dropped: readonly TextRange[];
  /** Source range of each code unit. `undefined`: unchanged. */
  readonly places?: { readonly starts: Uint32Array; readonly ends: Uint32Array } | undefined;
}

/** Rounds of decoding, for JSON in JSON in JSON. */
const maxRounds = 4;

/**
 * The readings of a text: without escape sequences and invisible characters; with the escapes of JSON, URLs and HTML
 * decoded; with wrapped lines joined; with lists of bytes as hexadecimal digits.
 */
export function* readingsOf(text: string): Generator<Reading> {
  const raw = asWritten(text);
  yield raw;
  yield* decodedReadingsOf(raw);
  // Readers without escape sequences drop only the escape character.
  if (text.includes('\u001b') || text.includes('\u009b')) yield rewritten(raw, invisibleOrBlank, blankOrNothing);
  for (const join of [unwrapped, joinedHex, decimalsAsHex]) {
    const next = join(raw);
    if (next !== raw) yield next;
  }
}

function asWritten(text: string): Reading {
  return { text, dropped: [] };
}

function* decodedReadingsOf(raw: Reading): Generator<Reading> {
  const clean = cleaned(raw);
  if (clean !== raw) yield clean;
  for (const decode of [jsonDecoded, percentDecoded, htmlDecoded]) {
    let last = clean;
    for (let round = 0; round < maxRounds; round++) {
      const next = decode(last);
      if (next === last) break;
      last = cleaned(next);
      yield last;
    }
  }
}

/**
 * The text with a mark in place of each character that a reading drops or folds, also where it is escaped. Secrets with
 * such a character are not found in it.
 */
export function markDropped(text: string): string {
  const units = text.split('');
  for (const { dropped } of decodedReadingsOf(asWritten(text))) {
    for (const { start, end } of dropped) units.fill(droppedMark, start, end);
  }
  return units.join('');
}

/** No reading drops it, and no encoding contains it. */
const droppedMark = '\u25a0';

export function cleanedText(text: string): string {
  return cleaned(asWritten(text)).text;
}

// Control, formatting and zero-width characters except tab and line feed, and the stand-ins of `printable`.
const invisible = String.raw`(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2400-\u2421\ufffd]`;
const blank = String.raw`[\t\n\p{Zs}]`;
/** ECMA-48: a control sequence, a control string up to its end, any other escape sequence. */
const sequence = [
  String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
  String.raw`(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`,
  String.raw`\u001b[ -/]*[0-~]`,
].join('|');
const invisibleOrBlank = new RegExp(`(?:${invisible}|${blank})+`, 'gu');
const unseen = new RegExp(`(?:${sequence}|${invisible}|${blank})+`, 'gu');
const hasBlank = new RegExp(blank, 'u');
const sequences = new RegExp(sequence, 'gu');

function cleaned(reading: Reading): Reading {
  return rewritten(
    reading,
    unseen,
    (found) => blankOrNothing(found.replace(sequences, '')),
    () => true,
  );
}

function blankOrNothing(found: string): string {
  return hasBlank.test(found) ? ' ' : '';
}

function jsonDecoded(reading: Reading): Reading {
  const decode = (found: string): string => {
    if (found.length > 2) return String.fromCharCode(Number.parseInt(found.slice(2), 16));
    const letter = found.slice(1);
    return controlLetters[letter] ?? letter;
  };
  const isNoEscape = (found: string) => /\\[^"\\/bfnrt]$/.test(found);
  // Python and C write \xNN.
  return rewritten(reading, /\\(?:u[\da-f]{4}|x[\da-f]{2}|[^ux]|[ux])/giu, decode, isNoEscape);
}

// Other control characters are cleaned away.
const controlLetters: Readonly<Record<string, string>> = { b: '', f: '', n: '\n', r: '', t: '\t' };

function percentDecoded(reading: Reading): Reading {
  // One character in UTF-8 each.
  return rewritten(
    reading,
    /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi,
    (found) => {
      try {
        return decodeURIComponent(found);
      } catch {
        return found; // an overlong form or half a pair
      }
    },
  );
}

function htmlDecoded(reading: Reading): Reading {
  const isPadded = (found: string) => /&#x?0/i.test(found);
  const decode = (found: string): string => {
    const name = found.slice(1, -1).toLowerCase();
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    if (name.startsWith('#')) return code <= 0x10ffff ? String.fromCodePoint(code) : found;
    return namedCharacters[name] ?? found;
  };
  return rewritten(reading, /&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|nbsp);/gi, decode, isPadded);
}

/** Without line breaks in base64, also those of JSON and quoted-printable. */
function unwrapped(reading: Reading): Reading {
  return rewritten(reading, /(?<=[\w+/-]{4})(?:=?(?:\r\n|\n|\r)|(?:\\{1,4}r)?\\{1,4}n)[ \t]*(?=[\w+/-]{2})/g, () => '');
}

/** Dumps of buffers: `68 75 6e`, `68:75:6e`, `0x68, 0x75, 0x6e`. */
function joinedHex(reading: Reading): Reading {
  return rewritten(
    reading,
    /(?<=(?<![\da-f])[\da-f]{2})(?:[:-]|,?\s{1,8}|,)(?:0x)?(?=[\da-f]{2}(?![\da-f]))/gi,
    () => '',
  );
}

/** Buffers in JSON: `[104, 117, 110]`, `{"0":104,"1":117}`. */
function decimalsAsHex(reading: Reading): Reading {
  if (!/(?:\d\s{0,64},[^,]{0,80}){3}/.test(reading.text)) return reading;
  return rewritten(
    reading,
    /(?:"\d{1,6}"\s{0,4}:\s{0,4})?(?<![\w.-])\d{1,3}(?:\s{0,64},\s{0,64}|\s{0,64}(?=[\]}]))/g,
    toHexByte,
  );
}

function toHexByte(found: string): string {
  const byte = Number.parseInt(found.replace(/"\d+"\s*:/, ''), 10);
  const hex = byte.toString(16).padStart(2, '0');
  // Not longer than its match.
  return byte > 255 || hex.length > found.length ? found : hex;
}

const namedCharacters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/**
 * The reading with each match replaced, or the same one when nothing changes.
 *
 * @param isFree - Returns `true` for a match that counts as dropped although something replaces it. Default: none.
 */
function rewritten(
  reading: Reading,
  pattern: RegExp,
  replacement: (found: string) => string,
  isFree?: (found: string) => boolean,
): Reading {
  let rewriting: Rewriting | undefined;
  for (const { 0: found, index } of reading.text.matchAll(pattern)) {
    const instead = replacement(found);
    if (instead === found) continue;
    rewriting ??= new Rewriting(reading);
    rewriting.replace({ start: index, end: index + found.length }, instead, instead === '' || isFree?.(found) === true);
  }
  return rewriting?.finish() ?? reading;
}

class Rewriting {
  readonly #reading: Reading;
  readonly #pieces: string[] = [];
  // No replacement is longer than its match.
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #dropped: TextRange[];
  #length = 0;
  #done = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#starts = new Uint32Array(reading.text.length);
    this.#ends = new Uint32Array(reading.text.length);
    this.#dropped = [...reading.dropped];
  }

  replace({ start, end }: TextRange, instead: string, isDropped: boolean): void {
    this.#keepUpTo(start);
    if (isDropped) this.#dropped.push(this.#sourceOf(start, end));
    this.#pieces.push(instead);
    for (let at = 0; at < instead.length; at++) this.#place(start, end);
    this.#done = end;
  }

  finish(): Reading {
    this.#keepUpTo(this.#reading.text.length);
    return { text: this.#pieces.join(''), places: { starts: this.#starts, ends: this.#ends }, dropped: this.#dropped };
  }

  #keepUpTo(end: number): void {
    this.#pieces.push(this.#reading.text.slice(this.#done, end));
    for (let at = this.#done; at < end; at++) this.#place(at, at + 1);
  }

  #place(start: number, end: number): void {
    const source = this.#sourceOf(start, end);
    this.#starts[this.#length] = source.start;
    this.#ends[this.#length] = source.end;
    this.#length += 1;
  }

  #sourceOf(start: number, end: number): TextRange {
    const { places } = this.#reading;
    return { start: places?.starts[start] ?? start, end: places?.ends[end - 1] ?? end };
  }
}
