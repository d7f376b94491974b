import { hexDigest } from '@x/internal/files';
import { canonicalJson, isSameJson } from '@x/internal/json';
import type { EntryFormat, HostLayout, ToggleField } from '../adapters/host-adapter.js';
import { isObject } from '../edit/data/json-value.js';
import type { EntryFields, JsonValue } from '../edit/document-shape.js';

export interface EntryForm {
  readonly format: EntryFormat;
  readonly toggle: ToggleField | undefined;
}

export function entryForm(format: EntryFormat, layout: HostLayout): EntryForm {
  return { format, toggle: layout.toggle ?? format.toggle };
}

/** Merges nested fields into the entry. */
export function flattened(entry: EntryFields, { format: { nested } }: EntryForm): EntryFields {
  const inner = nested === undefined ? undefined : entry[nested.field];
  if (nested === undefined || !isObject(inner)) return entry;
  return { ...without(entry, new Set([nested.field])), ...inner };
}

export function fieldPath(entry: EntryFields, field: string, { format: { nested } }: EntryForm): readonly string[] {
  const isNested = nested !== undefined && isObject(entry[nested.field]) && nested.fields.includes(field);
  return isNested ? [nested.field, field] : [field];
}

/** Compared fields: without fields of the host, the toggle and the repeated name. */
export function comparable(entry: EntryFields, form: EntryForm): EntryFields {
  const { nameField, hostFields } = form.format;
  const ignored = new Set([...hostFields, ...(nameField === undefined ? [] : [nameField])]);
  if (form.toggle !== undefined) ignored.add(form.toggle.field);
  return without(flattened(entry, form), ignored);
}

/** True if the host may start the server; `undefined` if the entry has no toggle. */
export function switchedOn(entry: EntryFields, { toggle }: EntryForm): boolean | undefined {
  const value = toggle === undefined ? undefined : entry[toggle.field];
  return typeof value !== 'boolean' ? undefined : value === (toggle?.means === 'enabled');
}

/** Hash that detects edits of an entry. Not keyed, because it is stored in a private file. */
export function entryHash(entry: EntryFields, form: EntryForm): string {
  return hexDigest(canonicalJson(comparable(entry, form)));
}

export function sameEntry(left: JsonValue, right: JsonValue): boolean {
  return isSameJson(left, right);
}

/** Copies fields except for the named ones. */
function without(fields: EntryFields, names: ReadonlySet<string>): EntryFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}
