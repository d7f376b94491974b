import type { JsonValue } from './document-shape.js';

/** A value inside of the maps that a path leads through: `{ a: { b: value } }` for `['a', 'b']`. */
export function nestedValue(path: readonly string[], value: JsonValue): JsonValue {
  // `fromEntries` defines properties, so that even `__proto__` is only a name.
  return path.reduceRight<JsonValue>((inner, key) => Object.fromEntries([[key, inner]]), value);
}
