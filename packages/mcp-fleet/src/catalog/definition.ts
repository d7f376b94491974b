import { isSameJson } from '@x/internal/json';
import { digestOf } from './digest.js';
import { MAX_LEVELS } from './nesting.js';

/** A tool's definition as it crosses the bus: JSON in one line, the same text for the same definition on every node. */
export interface Definition {
  readonly digest: string;
  readonly text: string;
}

/** What JSON escapes, and a little more. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;
const known = new WeakMap<object, Written>();

/**
 * The definition of a tool, or of anything else that is JSON, as it is now.
 *
 * @param before - What was defined already and may well say the same, though it is another object.
 * @throws {RangeError} It is nested too deep. Or what `JSON.stringify` throws.
 */
export function defineTool(tool: object, before?: object): Definition {
  const written = sameAs(known.get(tool), tool) ?? sameAs(before && known.get(before), tool) ?? new Written(tool);
  known.set(tool, written);
  return written.definition;
}

/** A source may change its own objects, so they are no witness of what they have been. */
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

  /** What was written. Made when it is first asked for: most tools are never listed twice. */
  get value(): unknown {
    this.#value ??= JSON.parse(this.definition.text);
    return this.#value;
  }
}

/** JSON with the keys of each object in one order. What JSON cannot hold is left out, as `JSON.stringify` does. */
function canonicalJson(value: unknown): string {
  return write(value, '', MAX_LEVELS) ?? 'null';
}

/** By hand: a replacer takes three times as long, and a server's tools are all written when it is offered. */
function write(value: unknown, key: string, levels: number): string | undefined {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON(key), key, levels);
  if (levels === 0) throw new RangeError(`It is more than ${MAX_LEVELS} levels deep`);
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

/** Quicker than `JSON.stringify`, which is for what has to be escaped. */
function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}
