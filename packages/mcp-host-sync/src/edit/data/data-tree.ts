import { quoted } from '@x/internal/text';
import { isList, type JsonValue, unsupported } from '../document.js';

/**
 * Content of a document without its layout, in any dialect. Keeps repeated keys and the spelling of numbers, so that a
 * comparison shows unintended changes of an edit.
 */
export type Data = DataMap | DataList | DataScalar;

export interface DataMap {
  readonly kind: 'map';
  readonly entries: readonly DataEntry[];
}

export interface DataEntry {
  readonly key: string;
  readonly value: Data;
  /** Offset of the key; `undefined` for data that was not parsed from text. */
  readonly start?: number;
}

interface DataList {
  readonly kind: 'list';
  readonly items: readonly Data[];
}

interface DataScalar {
  readonly kind: 'scalar';
  /** `special` is a value that JSON lacks, such as a TOML date, with its source text in `value`. */
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'special';
  readonly value: string | number | boolean | null;
  /** Source text of a number; `undefined` for data that was not parsed from text. */
  readonly spelling?: string;
}

const emptyMap: DataMap = { kind: 'map', entries: [] };
export const nullData: DataScalar = { kind: 'scalar', type: 'null', value: null };

export function scalarData(value: string | number | boolean | null, spelling?: string): DataScalar {
  const type = value === null ? 'null' : (typeof value as 'string' | 'number' | 'boolean');
  return { kind: 'scalar', type, value, ...(spelling === undefined ? {} : { spelling }) };
}

export function dataFromJson(value: JsonValue): Data {
  if (isList(value)) return { kind: 'list', items: value.map(dataFromJson) };
  if (typeof value !== 'object' || value === null) return scalarData(value);
  return { kind: 'map', entries: Object.entries(value).map(([key, item]) => ({ key, value: dataFromJson(item) })) };
}

export function jsonFromData(data: Data): JsonValue {
  if (data.kind === 'scalar') return data.value;
  if (data.kind === 'list') return data.items.map(jsonFromData);
  // `fromEntries` defines properties, so `__proto__` becomes an ordinary key.
  return Object.fromEntries(data.entries.map(({ key, value }) => [key, jsonFromData(value)]));
}

/** True for null, `{}` and `[]`, which an edit may replace without loss. */
export function isBlankData(data: Data): boolean {
  if (data.kind === 'scalar') return data.type === 'null';
  return (data.kind === 'map' ? data.entries : data.items).length === 0;
}

/** Ignores the order of keys, but not the spelling of numbers. */
export function isSameData(a: Data, b: Data): boolean {
  if (a.kind === 'list') {
    if (b.kind !== 'list' || a.items.length !== b.items.length) return false;
    return a.items.every((item, index) => isSameData(item, b.items[index] ?? nullData));
  }
  if (a.kind === 'map') {
    if (b.kind !== 'map' || a.entries.length !== b.entries.length) return false;
    const others = sorted(b.entries);
    return sorted(a.entries).every(({ key, value }, index) => {
      const other = others[index];
      return other !== undefined && other.key === key && isSameData(value, other.value);
    });
  }
  if (b.kind !== 'scalar' || a.type !== b.type) return false;
  if (a.spelling !== undefined && b.spelling !== undefined) return a.spelling === b.spelling;
  return Object.is(a.value, b.value) || a.value === b.value;
}

/** Sorts by key; equal keys keep their order. */
function sorted(entries: readonly DataEntry[]): readonly DataEntry[] {
  return [...entries].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Creates missing maps on the way. */
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
