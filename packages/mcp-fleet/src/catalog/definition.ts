import { sha256Of } from '@x/internal/digests';
import { isDeeperThan, isSameJson } from '@x/internal/json';

/** Tool definition on the bus: one line of JSON, identical on every node. */
export interface Definition {
  readonly digest: string;
  readonly text: string;
}

/**
 * Levels of nesting in a definition. Thousands of levels in one tool would break `JSON.stringify` for all tools of all
 * nodes.
 */
const MAX_LEVELS = 500;
const DIGEST_BYTES = 18;
/** Superset of the characters that JSON escapes. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;
const known = new WeakMap<object, Written>();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Canonical definition of a tool, or of other JSON.
 *
 * @param before - Probably equal object of an earlier definition.
 * @throws {RangeError} Nested too deeply. Also errors of `JSON.stringify`.
 */
export function defineTool(tool: object, before?: object): Definition {
  const written = sameAs(known.get(tool), tool) ?? sameAs(before && known.get(before), tool) ?? new Written(tool);
  known.set(tool, written);
  return written.definition;
}

/** A source may mutate its objects, so identity does not prove equality. */
function sameAs(written: Written | undefined, tool: object): Written | undefined {
  return written !== undefined && isSameJson(written.value, tool) ? written : undefined;
}

class Written {
  readonly definition: Definition;
  #value: unknown;

  constructor(tool: object) {
    const text = canonicalJson(tool);
    this.definition = { digest: digestOf(text), text };
  }

  /** Parsed definition. Lazy: most tools are never listed twice. */
  get value(): unknown {
    this.#value ??= JSON.parse(this.definition.text);
    return this.#value;
  }
}

/** JSON with sorted keys. Omits the same values as `JSON.stringify`. */
function canonicalJson(value: unknown): string {
  return write(value, '', MAX_LEVELS) ?? 'null';
}

/** Handwritten: a replacer takes three times as long. */
function write(value: unknown, key: string, levels: number): string | undefined {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON(key), key, levels);
  if (levels === 0) throw new RangeError(`The definition has more than ${MAX_LEVELS} levels`);
  if (Array.isArray(value)) {
    return `[${value.map((part: unknown, index) => write(part, String(index), levels - 1) ?? 'null').join(',')}]`;
  }
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const part = write((value as Readonly<Record<string, unknown>>)[name], name, levels - 1);
    if (part !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${part}`;
  }
  return `{${text}}`;
}

/** Faster than `JSON.stringify` for text without escapes. */
function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** 144 bits of SHA-256 in 24 characters. */
export function digestOf(text: string): string {
  return btoa(String.fromCharCode(...sha256Of(text).subarray(0, DIGEST_BYTES)))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

export function isTooDeep(text: string, value: unknown): boolean {
  return text.length > 2 * MAX_LEVELS && isDeeperThan(MAX_LEVELS, value);
}

export function encodeDefinitions(texts: readonly string[]): Uint8Array {
  return encoder.encode(texts.join('\n'));
}

export function readDefinitions(data: Uint8Array): readonly string[] {
  return data.length === 0 ? [] : decoder.decode(data).split('\n');
}

/** Length in bytes, without encoding the text. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Two bytes per half of a surrogate pair.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
