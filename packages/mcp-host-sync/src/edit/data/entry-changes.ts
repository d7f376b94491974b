import { quoted } from '@x/internal/text';
import type { EntryChange } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { DocumentShape, EntryEdit, EntryFields, JsonValue } from '../document-shape.js';
import { type Data, dataFromJson, isSameData } from './data-tree.js';
import { nameFieldOf } from './entry-data.js';
import type { EntryTable } from './entry-table.js';
import { isObject } from './json-value.js';

/** Empty if the document already has the wanted content. */
export function changesOf(table: EntryTable, shape: DocumentShape, edit: EntryEdit): readonly EntryChange[] {
  const { name } = edit;
  const present = table.get(name);
  switch (edit.type) {
    case 'add': {
      const entry = namedEntry(shape, name, edit.entry);
      if (present === undefined) return [{ type: 'insert', name, entry }];
      if (isSameData(present, dataFromJson(entry))) return [];
      throw unsupported(`An entry ${quoted(name)} exists already, with different fields`);
    }
    case 'remove':
      return present === undefined ? [] : [{ type: 'remove', name }];
    case 'update': {
      if (present === undefined) throw unsupported(`The entry ${quoted(name)} to update does not exist`);
      return [
        ...edit.set.flatMap(({ path, value }) => setChanges(present, name, path, value)),
        ...edit.unset.flatMap((path) => (dataAt(present, path) === undefined ? [] : [unset(name, path)])),
      ];
    }
  }
}

/** Merges objects field by field, so that equal fields and their comments stay. */
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

export function dataAt(data: Data, path: readonly string[]): Data | undefined {
  let current: Data | undefined = data;
  for (const key of path) {
    current = current?.kind === 'map' ? current.entries.find((entry) => entry.key === key)?.value : undefined;
  }
  return current;
}

/** In a list, adds the name as the first field if it is missing. */
function namedEntry(shape: DocumentShape, name: string, entry: EntryFields): EntryFields {
  if (shape.collection === 'map') return entry;
  const field = nameFieldOf(shape);
  if (!Object.hasOwn(entry, field)) return { [field]: name, ...entry };
  if (entry[field] === name) return entry;
  throw new TypeError(`The entry ${quoted(name)} has a different name in its field ${quoted(field)}`);
}
