import { isRecord } from '@x/internal/json';
import type { EntryFields, JsonValue } from './document-shape.js';

export function isObject(value: JsonValue | undefined): value is EntryFields {
  return isRecord(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
