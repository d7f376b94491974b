import { isRecord } from '@x/internal/json';
import type { EntryFields, JsonValue } from '../document-shape.js';

export function isObject(value: JsonValue | undefined): value is EntryFields {
  return isRecord(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Wraps a value in maps: `{ a: { b: value } }` for the path `['a', 'b']`. */
export function nestedValue(path: readonly string[], value: JsonValue): JsonValue {
  // `fromEntries` defines properties, so `__proto__` becomes an ordinary key.
  return path.reduceRight<JsonValue>((inner, key) => Object.fromEntries([[key, inner]]), value);
}
