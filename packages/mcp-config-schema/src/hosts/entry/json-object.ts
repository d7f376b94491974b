import type { EntryFields, JsonValue } from '../edit/document-shape.js';
import { isList, isObject } from '../edit/json-value.js';

/** One text for equal values, whatever the order of their keys. */
export function canonicalJson(value: JsonValue): string {
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}

/** A copy without some fields. */
export function without(fields: EntryFields, names: ReadonlySet<string>): EntryFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}
