import { quoted } from '@x/internal/text';
import { unsupported } from '../document-fault.js';
import type { DocumentShape } from '../document-shape.js';
import { type Data, type DataEntry, type DataMap, isBlankData } from './data-tree.js';

export function nameFieldOf(shape: DocumentShape): string {
  return shape.nameField ?? 'name';
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
export function containerIn(document: Data, shape: DocumentShape): Data | undefined {
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

export function nameOf(item: Data, shape: DocumentShape): string | undefined {
  if (item.kind !== 'map') return undefined;
  const name = item.entries.find(({ key }) => key === nameFieldOf(shape))?.value;
  return name?.kind === 'scalar' && name.type === 'string' ? String(name.value) : undefined;
}

function uniqueEntry(map: DataMap, key: string): DataEntry | undefined {
  const [first, second] = map.entries.filter((entry) => entry.key === key);
  if (second !== undefined) throw repeated(second);
  return first;
}

/** Readers disagree on which of two equal keys wins. */
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
