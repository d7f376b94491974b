import { isList, isObject } from '../data/json-value.js';
import type { EntryFields, JsonValue } from '../document-shape.js';

export function tableLines(path: readonly string[], fields: EntryFields, indent: string): readonly string[] {
  const entries = Object.entries(fields);
  const own = entries.flatMap(([key, value]) => (isObject(value) ? [] : [indent + keyValueText(key, value)]));
  const inner = entries.flatMap(([key, value]) =>
    isObject(value) ? ['', ...tableLines([...path, key], value, indent)] : [],
  );
  return [`${indent}[${path.map(keyText).join('.')}]`, ...own, ...inner];
}

export function keyValueText(key: string, value: JsonValue): string {
  return `${keyText(key)} = ${valueText(value)}`;
}

/** Formats a value on one line; maps become inline tables. */
export function valueText(value: JsonValue): string {
  if (isList(value)) return `[${value.map(valueText).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => keyValueText(key, item));
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value === 'string') return basicString(value);
  const text = JSON.stringify(value);
  // A whole number outside of the integer range of TOML must be a float.
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : basicString(key);
}

/** JSON escapes are valid in TOML, except that JSON leaves U+007F unescaped. */
function basicString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
