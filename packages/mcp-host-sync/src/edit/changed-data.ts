import { quoted } from '@x/internal/text';
import { type Data, emptyMap, isBlankData, nullData } from './data-tree.js';
import { unsupported } from './document-fault.js';

/** Replaces what stands at a path, or takes it away; maps that are missing on the way are created. */
export function withValue(data: Data, path: readonly string[], edit: (present: Data) => Data | undefined): Data {
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
