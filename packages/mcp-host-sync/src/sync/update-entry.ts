import { isObject } from '../edit/data/json-value.js';
import type { EntryEdit, EntryFields, JsonValue } from '../edit/document-shape.js';
import { comparable, type EntryForm, fieldPath, flattened, sameEntry } from '../entry/entry-form.js';

type Update = Extract<EntryEdit, { readonly type: 'update' }>;

export function updateEdit(
  name: string,
  current: EntryFields,
  desired: EntryFields,
  form: EntryForm,
  { setToggle }: { readonly setToggle: boolean },
): Update {
  const set: { path: readonly string[]; value: JsonValue }[] = [];
  const unset: (readonly string[])[] = [];
  const before = comparable(current, form);
  const after = comparable(desired, form);
  const changes = fieldChanges(before, after, []);
  const placed = ([field = '', ...rest]: readonly string[]) => [...fieldPath(current, field, form), ...rest];
  for (const { path, value } of changes) {
    if (value === undefined) unset.push(placed(path));
    else set.push({ path: placed(path), value });
  }
  if (setToggle && form.toggle !== undefined) {
    const { field } = form.toggle;
    const value = desired[field];
    if (value !== undefined) set.push({ path: [field], value });
    else if (flattened(current, form)[field] !== undefined) unset.push([field]);
  }
  return { type: 'update', name, set, unset };
}

export function mergedEntry(
  current: EntryFields,
  desired: EntryFields,
  form: EntryForm,
  { setToggle }: { readonly setToggle: boolean },
): EntryFields {
  const now = flattened(current, form);
  const compared = comparable(current, form);
  const wanted = comparable(desired, form);
  const kept = Object.entries(now).filter(([key]) => !Object.hasOwn(compared, key) || Object.hasOwn(wanted, key));
  const toggle = form.toggle?.field;
  const merged = { ...Object.fromEntries(kept), ...wanted };
  if (!setToggle || toggle === undefined) return merged;
  const { [toggle]: _switch, ...others } = merged;
  const value = desired[toggle];
  return value === undefined ? others : { ...others, [toggle]: value };
}

interface FieldChange {
  readonly path: readonly string[];
  /** Missing: the field is removed. */
  readonly value?: JsonValue;
}

function fieldChanges(before: EntryFields, after: EntryFields, path: readonly string[]): readonly FieldChange[] {
  const gone = Object.keys(before)
    .filter((key) => !Object.hasOwn(after, key))
    .map((key): FieldChange => ({ path: [...path, key] }));
  const written = Object.entries(after).flatMap(([key, value]): readonly FieldChange[] => {
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    if (known !== undefined && sameEntry(known, value)) return [];
    if (isObject(known) && isObject(value)) return fieldChanges(known, value, [...path, key]);
    return [{ path: [...path, key], value }];
  });
  return [...gone, ...written];
}
