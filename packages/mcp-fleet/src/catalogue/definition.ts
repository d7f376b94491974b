import { sha256 } from '@noble/hashes/sha2.js';

/** A tool's definition as it crosses the bus: JSON in one line, the same text for the same definition on every host. */
export interface Definition {
  readonly digest: string;
  readonly text: string;
}

const encoder = new TextEncoder();
const known = new WeakMap<object, Definition>();

/** The definition of a tool, or of anything else that is JSON. Objects are taken to stay what they are. */
export function defineTool(tool: object): Definition {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const text = canonicalJson(tool);
  const definition = { digest: digestOf(text), text };
  known.set(tool, definition);
  return definition;
}

/** 144 bits of SHA-256, as 24 characters. */
export function digestOf(text: string): string {
  return base64Url(sha256(encoder.encode(text)).subarray(0, 18));
}

/** JSON with the keys of each object in one order. What JSON cannot hold is left out, as `JSON.stringify` does. */
function canonicalJson(value: unknown): string {
  return write(value, '') ?? 'null';
}

/** By hand: a replacer takes three times as long, and a server's tools are all written when it is offered. */
function write(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON(key), key);
  if (Array.isArray(value)) {
    return `[${value.map((part: unknown, index) => write(part, String(index)) ?? 'null').join(',')}]`;
  }
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const part = write((value as Readonly<Record<string, unknown>>)[name], name);
    if (part !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${part}`;
  }
  return `{${text}}`;
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
