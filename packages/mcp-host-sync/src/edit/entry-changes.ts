import { quoted } from '@x/internal/text';
import { type Data, dataFromJson, isSameData } from './data-tree.js';
import type { EntryChange } from './dialect.js';
import { unsupported } from './document-fault.js';
import type { DocumentShape, EntryEdit, EntryFields, JsonValue } from './document-shape.js';
import { nameFieldOf } from './entry-data.js';
import type { EntryTable } from './entry-table.js';
import { isObject } from './json-value.js';

/** What an edit comes down to in this document: nothing when the document already says it. */
export function changesOf(table: EntryTable, shape: DocumentShape, edit: EntryEdit): readonly EntryChange[] {
  const { name } = edit;
  const present = table.get(name);
  switch (edit.type) {
    case 'add': {
      const entry = namedEntry(shape, name, edit.entry);
      if (present === undefined) return [{ type: 'insert', name, entry }];
      if (isSameData(present, dataFromJson(entry))) return [];
      throw unsupported(`There is an entry ${quoted(name)} already, and it is a different one`);
    }
    case 'remove':
      return present === undefined ? [] : [{ type: 'remove', name }];
    case 'update': {
      if (present === undefined) throw unsupported(`There is no entry ${quoted(name)} that could be updated`);
      return [
        ...edit.set.flatMap(({ path, value }) => setChanges(present, name, path, value)),
        ...edit.unset.flatMap((path) => (dataAt(present, path) === undefined ? [] : [unset(name, path)])),
      ];
    }
  }
}

/** An object is set field by field where an object stands, so that equal fields and their comments are not rewritten. */
function setChanges(entry: Data, name: string, path: readonly string[], value: JsonValue): EntryChange[] {
  const present = dataAt(entry, path);
  if (present?.kind !== 'map' || !isObject(value)) {
    const isThere = present !== undefined && isSameData(present, dataFromJson(value));
    return isThere ? [] : [{ type: 'set', name, path, value }];
  }
  const gone = present.entries.filter(({ key }) => !Object.hasOwn(value, key));
  return [
    ...Object.entries(value).flatMap(([key, item]) => setChanges(entry, name, [...path, key], item)),
    ...gone.map(({ key }) => unset(name, [...path, key])),
  ];
}

function unset(name: string, path: readonly string[]): EntryChange {
  return { type: 'unset', name, path };
}

/** What an entry holds at a path. */
export function dataAt(data: Data, path: readonly string[]): Data | undefined {
  let current: Data | undefined = data;
  for (const key of path) {
    current = current?.kind === 'map' ? current.entries.find((entry) => entry.key === key)?.value : undefined;
  }
  return current;
}

/** In a list the name is one of the fields, and the first unless the entry says otherwise. */
function namedEntry(shape: DocumentShape, name: string, entry: EntryFields): EntryFields {
  if (shape.collection === 'map') return entry;
  const field = nameFieldOf(shape);
  if (!Object.hasOwn(entry, field)) return { [field]: name, ...entry };
  if (entry[field] === name) return entry;
  throw new TypeError(`The entry ${quoted(name)} has another name in its field ${quoted(field)}`);
}
