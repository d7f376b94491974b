import { quoted } from '@x/internal/text';
import type { EntryChange } from '../dialect.js';
import {
  type DocumentShape,
  type EntryEdit,
  type EntryFields,
  isObject,
  type JsonValue,
  nameFieldOf,
  unsupported,
} from '../document.js';
import {
  type Data,
  type DataEntry,
  type DataMap,
  dataFromJson,
  isBlankData,
  isSameData,
  nullData,
  withValue,
} from './data-tree.js';

/** Entries with the changes applied: the expected content of the edited text. */
export class EntryTable {
  readonly #document: Data;
  readonly #shape: DocumentShape;
  /** In file order. The key of a list item without a unique name is its index. */
  readonly #entries = new Map<string | number, Data>();
  readonly #repeated = new Set<string>();

  constructor(document: Data, shape: DocumentShape) {
    this.#document = document;
    this.#shape = shape;
    const container = containerIn(document, shape);
    if (container?.kind === 'map') for (const { key, value } of container.entries) this.#entries.set(key, value);
    if (container?.kind === 'list') for (const [index, item] of container.items.entries()) this.#addItem(index, item);
  }

  #addItem(index: number, item: Data): void {
    const name = nameOf(item, this.#shape);
    const isRepeated = name !== undefined && this.#entries.has(name);
    if (isRepeated) this.#repeated.add(name);
    this.#entries.set(isRepeated ? index : (name ?? index), item);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @throws {DocumentFault} Two list items have the name. */
  get(name: string): Data | undefined {
    if (this.#repeated.has(name)) throw unsupported(`Two items of the list have the name ${quoted(name)}`);
    return this.#entries.get(name);
  }

  apply(change: EntryChange): void {
    const { name } = change;
    if (change.type === 'remove') this.#entries.delete(name);
    else if (change.type === 'insert') this.#entries.set(name, dataFromJson(change.entry));
    else {
      const value = change.type === 'set' ? dataFromJson(change.value) : undefined;
      this.#entries.set(
        name,
        withValue(this.#entries.get(name) ?? nullData, change.path, () => value),
      );
    }
  }

  toDocument(): Data {
    const { collection, keyPath } = this.#shape;
    const container: Data =
      collection === 'map'
        ? { kind: 'map', entries: Array.from(this.#entries, ([key, value]) => ({ key: String(key), value })) }
        : { kind: 'list', items: [...this.#entries.values()] };
    return withValue(this.#document, keyPath, () => container);
  }
}

/** Entries by name, in file order. The first list item with a name counts. */
export function entriesIn(document: Data, shape: DocumentShape): ReadonlyMap<string, Data> {
  const container = containerIn(document, shape);
  const entries = new Map<string, Data>();
  if (container?.kind === 'map') for (const { key, value } of container.entries) entries.set(key, value);
  if (container?.kind === 'list') {
    for (const item of container.items) {
      const name = nameOf(item, shape);
      if (name !== undefined && !entries.has(name)) entries.set(name, item);
    }
  }
  return entries;
}

/** The map or list of entries; `undefined` if it is missing or empty. */
function containerIn(document: Data, shape: DocumentShape): Data | undefined {
  let current = document;
  let start = 0;
  for (const [depth, key] of shape.keyPath.entries()) {
    if (isBlankData(current)) return undefined;
    if (current.kind !== 'map') throw wrongKind(shape.keyPath.slice(0, depth), 'a map', current, start);
    const next = uniqueEntry(current, key);
    if (next === undefined) return undefined;
    current = next.value;
    start = next.start ?? start;
  }
  if (isBlankData(current)) return undefined;
  const wanted = shape.collection === 'map' ? 'map' : 'list';
  if (current.kind !== wanted) throw wrongKind(shape.keyPath, `a ${wanted}`, current, start);
  if (current.kind === 'map') checkUnique(current);
  return current;
}

function nameOf(item: Data, shape: DocumentShape): string | undefined {
  if (item.kind !== 'map') return undefined;
  const name = item.entries.find(({ key }) => key === nameFieldOf(shape))?.value;
  return name?.kind === 'scalar' && name.type === 'string' ? String(name.value) : undefined;
}

function uniqueEntry(map: DataMap, key: string): DataEntry | undefined {
  const [first, second] = map.entries.filter((entry) => entry.key === key);
  if (second !== undefined) throw repeated(second);
  return first;
}

/** Rejects repeated keys: readers disagree on which of two wins. */
function checkUnique(data: Data): void {
  if (data.kind === 'list') for (const item of data.items) checkUnique(item);
  if (data.kind !== 'map') return;
  const seen = new Set<string>();
  for (const entry of data.entries) {
    if (seen.has(entry.key)) throw repeated(entry);
    seen.add(entry.key);
    checkUnique(entry.value);
  }
}

function repeated({ key, start }: DataEntry): Error {
  return unsupported(`The key ${quoted(key)} occurs a second time here; keep one of the two`, start);
}

function wrongKind(path: readonly string[], wanted: string, found: Data, start: number): Error {
  const where = path.length === 0 ? 'The document' : quoted(path.join(' › '));
  const what = { map: 'a map', list: 'a list', scalar: 'a single value' }[found.kind];
  return unsupported(`${where} must be ${wanted} but is ${what}`, start);
}

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
