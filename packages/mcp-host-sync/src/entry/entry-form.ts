import { hexDigest } from '@x/internal/files';
import { canonicalJson, isSameJson } from '@x/internal/json';
import type { EntryFormat, HostLayout, ToggleField } from '../adapters/host-adapter.js';
import type { EntryFields, JsonValue } from '../edit/document-shape.js';
import { isObject } from '../edit/json-value.js';
import { without } from './json-object.js';

/** What to know of a host to read or write an entry: its format, and the layout of the document at hand. */
export interface EntryForm {
  readonly format: EntryFormat;
  readonly toggle: ToggleField | undefined;
}

export function entryForm(format: EntryFormat, layout: HostLayout): EntryForm {
  return { format, toggle: layout.toggle ?? format.toggle };
}

/** The entry with nested fields lifted out, as if the host knew one form only. */
export function flattened(entry: EntryFields, { format: { nested } }: EntryForm): EntryFields {
  const inner = nested === undefined ? undefined : entry[nested.field];
  if (nested === undefined || !isObject(inner)) return entry;
  return { ...without(entry, new Set([nested.field])), ...inner };
}

/** Where a field stands in an entry that may have the nested form. */
export function fieldPath(entry: EntryFields, field: string, { format: { nested } }: EntryForm): readonly string[] {
  const isNested = nested !== undefined && isObject(entry[nested.field]) && nested.fields.includes(field);
  return isNested ? [nested.field, field] : [field];
}

/** What of an entry is ours to compare: the host's own fields, its switch and the repeated name are not. */
export function comparable(entry: EntryFields, form: EntryForm): EntryFields {
  const { nameField, hostFields } = form.format;
  const ignored = new Set([...hostFields, ...(nameField === undefined ? [] : [nameField])]);
  if (form.toggle !== undefined) ignored.add(form.toggle.field);
  return without(flattened(entry, form), ignored);
}

/** Whether the host may start the server; `undefined` when the entry does not say. */
export function switchedOn(entry: EntryFields, { toggle }: EntryForm): boolean | undefined {
  const value = toggle === undefined ? undefined : entry[toggle.field];
  return typeof value !== 'boolean' ? undefined : value === (toggle?.means === 'enabled');
}

/** Tells whether an entry is still as it was written. Keyed by nothing: it is kept in a private file. */
export function entryHash(entry: EntryFields, form: EntryForm): string {
  return hexDigest(canonicalJson(comparable(entry, form)));
}

export function sameEntry(left: JsonValue, right: JsonValue): boolean {
  return isSameJson(left, right);
}
