import { hexDigest } from '@x/internal/files';
import { canonicalJson, isSameJson } from '@x/internal/json';
import type { EntryFormat, HostAdapter, HostLayout, TimeoutField, ToggleField } from '../adapters/host-adapter.js';
import { type DocumentShape, type EntryFields, isObject, type JsonValue } from '../edit/document.js';
import { readEntries } from '../edit/edit-entries.js';
import { type KeyPlace, keysOf } from '../place/host-place.js';

export interface DocumentLayout {
  readonly shape: DocumentShape;
  readonly form: EntryForm;
}

/**
 * Determines which of a host's layouts a document has.
 *
 * @throws {HostFileError} `unreadable-document`, `unsupported-shape`
 */
export function documentLayout(adapter: HostAdapter, text: string, place: KeyPlace): DocumentLayout {
  const pick = adapter.pickLayout?.((keyPath) =>
    readEntries(text, { dialect: adapter.dialect, keyPath, collection: 'map' }),
  );
  const layout: HostLayout = adapter.layouts[pick ?? 0] ?? adapter.layouts[0];
  const { nameField } = adapter.entry;
  const shape: DocumentShape = {
    dialect: adapter.dialect,
    keyPath: keysOf(layout.keyPath, place),
    collection: layout.collection,
    ...(nameField === undefined || layout.collection === 'map' ? {} : { nameField }),
  };
  const { toggle = adapter.entry.toggle, timeout = adapter.entry.timeout } = layout;
  return { shape, form: { format: adapter.entry, toggle, timeout } };
}

export interface EntryForm {
  readonly format: EntryFormat;
  readonly toggle: ToggleField | undefined;
  readonly timeout: TimeoutField | undefined;
  /** The lists of tools are part of the entry, and not of the host. */
  readonly comparesTools?: true;
}

/** Merges nested fields into the entry. */
export function flattened(entry: EntryFields, { format: { nested } }: EntryForm): EntryFields {
  const inner = nestedIn(entry, nested);
  if (nested === undefined || inner === undefined) return entry;
  const fields = nested.type === undefined ? inner : without(inner, new Set(['type']));
  return { ...without(entry, new Set([nested.field])), ...fields };
}

function nestedIn(entry: EntryFields, nested: EntryFormat['nested']): EntryFields | undefined {
  const inner = nested === undefined ? undefined : entry[nested.field];
  return isObject(inner) && (nested?.type === undefined || inner.type === nested.type) ? inner : undefined;
}

export function fieldPath(entry: EntryFields, field: string, { format: { nested } }: EntryForm): readonly string[] {
  const isNested = nested?.fields.includes(field) === true && nestedIn(entry, nested) !== undefined;
  return isNested ? [nested.field, field] : [field];
}

/** Compared fields: without fields of the host, the toggle and the repeated name. */
export function comparable(entry: EntryFields, form: EntryForm): EntryFields {
  const { nameField, hostFields } = form.format;
  const ignored = new Set([...hostFields, ...(nameField === undefined ? [] : [nameField])]);
  if (form.toggle !== undefined) ignored.add(form.toggle.field);
  if (form.comparesTools === true) for (const field of toolFields(form)) ignored.delete(field);
  return without(flattened(entry, form), ignored);
}

/** True if the host may start the server; `undefined` if the entry has no toggle. */
export function enabledState(entry: EntryFields, { toggle }: EntryForm): boolean | undefined {
  const field = toggle === undefined ? undefined : entry[toggle.field];
  const value = toggle?.key === undefined || !isObject(field) ? field : field[toggle.key];
  return typeof value !== 'boolean' ? undefined : value === (toggle?.means === 'enabled');
}

/** Hash that detects edits of an entry. Not keyed, because it is stored in a private file. */
export function entryHash(entry: EntryFields, form: EntryForm): string {
  const { initial = {} } = form.format;
  const fields = comparable(entry, form);
  // A new entry has these values, which say the same as none.
  const unset = toolFields(form).filter((field) => {
    const [value, first] = [fields[field], initial[field]];
    return value !== undefined && first !== undefined && isSameJson(value, first);
  });
  return hexDigest(canonicalJson(without(fields, new Set(unset))));
}

function toolFields({ format: { tools } }: EntryForm): readonly string[] {
  if (tools?.readOnly === true) return [];
  if (tools?.inside !== undefined) return [tools.inside];
  return [...(tools?.allowed ?? []), ...(tools?.denied ?? [])];
}

export function sameEntry(left: JsonValue, right: JsonValue): boolean {
  return isSameJson(left, right);
}

/** Copies fields except for the named ones. */
function without(fields: EntryFields, names: ReadonlySet<string>): EntryFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}
