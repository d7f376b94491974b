import { quoted } from '../../printable.js';
import { type Data, dataFromJson, emptyMap, isBlankData, nullData } from './data-tree.js';
import { unsupported } from './document-fault.js';
import type { DocumentShape } from './document-shape.js';
import type { EntryChange } from './entry-changes.js';
import { nameOf } from './entry-data.js';

/** The document as it should read after a change; what the edited text is held against. */
export function changed(document: Data, shape: DocumentShape, change: EntryChange): Data {
  const isEntry = (item: Data) => nameOf(item, shape) === change.name;
  const edited = (entry: Data): Data | undefined => {
    if (change.type === 'remove') return undefined;
    if (change.type === 'insert') return dataFromJson(change.entry);
    const value = change.type === 'set' ? dataFromJson(change.value) : undefined;
    return withValue(entry, change.path, () => value);
  };
  if (shape.collection === 'map') return withValue(document, [...shape.keyPath, change.name], edited);
  return withValue(document, shape.keyPath, (container) => {
    const items = container.kind === 'list' ? container.items : [];
    if (change.type === 'insert') return { kind: 'list', items: [...items, dataFromJson(change.entry)] };
    return { kind: 'list', items: items.flatMap((item) => (isEntry(item) ? (edited(item) ?? []) : [item])) };
  });
}

/** Replaces what stands at a path, or takes it away; maps that are missing on the way are created. */
function withValue(data: Data, path: readonly string[], edit: (present: Data) => Data | undefined): Data {
  const [key, ...rest] = path;
  if (key === undefined) return edit(data) ?? nullData;
  if (data.kind !== 'map' && !isBlankData(data)) throw unsupported(`${quoted(key)} can only be set in a map`);

  const entries = data.kind === 'map' ? data.entries : [];
  const index = entries.findIndex((entry) => entry.key === key);
  const present = entries[index]?.value ?? nullData;
  const value = rest.length === 0 ? edit(present) : withValue(present, rest, edit);
  if (value === undefined) return { kind: 'map', entries: entries.filter((_, at) => at !== index) };
  if (index === -1) return { kind: 'map', entries: [...entries, { key, value }] };
  return { kind: 'map', entries: entries.map((entry, at) => (at === index ? { ...entry, value } : entry)) };
}

/** The document without an empty container and without the maps that hold nothing else. */
export function withoutEmptyContainer(document: Data, keyPath: readonly string[]): Data {
  if (isBlankData(document)) return emptyMap;
  const [key, ...rest] = keyPath;
  if (key === undefined || document.kind !== 'map') return document;
  const entries = document.entries.flatMap((entry) => {
    if (entry.key !== key) return [entry];
    const value = withoutEmptyContainer(entry.value, rest);
    return isBlankData(value) ? [] : [{ ...entry, value }];
  });
  return { kind: 'map', entries };
}
