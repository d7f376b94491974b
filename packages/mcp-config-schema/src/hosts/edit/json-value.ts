import type { EntryFields, JsonValue } from './document-shape.js';

export function isObject(value: JsonValue | undefined): value is EntryFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
