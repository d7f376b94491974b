import type { JsonValue } from './document-shape.js';
import { isList } from './json-value.js';

/**
 * What a text says, apart from how it is laid out. Every dialect is read into this before and after an edit, so that
 * what should have stayed can be compared. Repeated keys stay visible, and so does the spelling of numbers.
 */
export type Data = DataMap | DataList | DataScalar;

export interface DataMap {
  readonly kind: 'map';
  readonly entries: readonly DataEntry[];
}

export interface DataEntry {
  readonly key: string;
  readonly value: Data;
  /** Where the key stands; `undefined` in data that was not read from a text. */
  readonly start?: number;
}

export interface DataList {
  readonly kind: 'list';
  readonly items: readonly Data[];
}

export interface DataScalar {
  readonly kind: 'scalar';
  /** `special`: what JSON has no word for, such as TOML's dates. `value` is then its text. */
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'special';
  readonly value: string | number | boolean | null;
  /** A number as it is written; `undefined` in data that was not read from a text. */
  readonly spelling?: string;
}

export const emptyMap: DataMap = { kind: 'map', entries: [] };
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
  // `fromEntries` defines properties, so that even `__proto__` is only a name.
  return Object.fromEntries(data.entries.map(({ key, value }) => [key, jsonFromData(value)]));
}

/** Nothing that would be lost by writing something else in its place. */
export function isBlankData(data: Data): boolean {
  if (data.kind === 'scalar') return data.type === 'null';
  return (data.kind === 'map' ? data.entries : data.items).length === 0;
}

/** Whether two texts say the same. The order of keys is layout; the spelling of a number is not. */
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

/** By key; equal keys keep their order. */
function sorted(entries: readonly DataEntry[]): readonly DataEntry[] {
  return [...entries].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
