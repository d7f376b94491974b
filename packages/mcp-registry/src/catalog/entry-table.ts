import type { ToolView } from '@x/internal/views';

/** Binary searches before the map is built. */
const MAX_BINARY_SEARCHES = 200;

interface Named {
  readonly view: ToolView;
}

/** Entries by public name, sorted. The map is built on demand, because most snapshots are read once. */
export class EntryTable<Entry extends Named> implements ReadonlyMap<string, Entry> {
  readonly ordered: readonly Entry[];
  #searches = 0;
  #table: ReadonlyMap<string, Entry> | undefined;
  #views: readonly ToolView[] | undefined;

  constructor(ordered: readonly Entry[]) {
    this.ordered = ordered;
  }

  /** In the order of `ordered`. */
  get views(): readonly ToolView[] {
    this.#views ??= Object.freeze(this.ordered.map(({ view }) => view));
    return this.#views;
  }

  get size(): number {
    return this.ordered.length;
  }

  get(name: string): Entry | undefined {
    if (this.#table === undefined && this.#searches++ >= MAX_BINARY_SEARCHES) this.#table = new Map(this.entries());
    if (this.#table !== undefined) return this.#table.get(name);
    const entry = this.ordered[indexOfKey(this.ordered, name, publicNameOf)];
    return entry?.view.name === name ? entry : undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  *entries(): Generator<[string, Entry], undefined> {
    for (const entry of this.ordered) yield [entry.view.name, entry];
  }

  *keys(): Generator<string, undefined> {
    for (const { view } of this.ordered) yield view.name;
  }

  values(): ArrayIterator<Entry> {
    return this.ordered.values();
  }

  [Symbol.iterator](): Generator<[string, Entry], undefined> {
    return this.entries();
  }

  forEach(callback: (entry: Entry, name: string, table: ReadonlyMap<string, Entry>) => void): void {
    for (const entry of this.ordered) callback(entry, entry.view.name, this);
  }
}

export function publicNameOf({ view }: Named): string {
  return view.name;
}

/** Index of the item with this key, or of its insertion point, from `from` on. */
export function indexOfKey<Item>(list: readonly Item[], key: string, keyOf: (item: Item) => string, from = 0): number {
  let low = from;
  let step = 1;
  while (low + step - 1 < list.length && keyOf(list[low + step - 1] as Item) < key) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, list.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(list[middle] as Item) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** All items with `key` become `items`. */
export interface Replacement<Item> {
  readonly key: string;
  readonly items: readonly Item[];
}

/**
 * A copy of a sorted list with other items for some keys. Few replacements are cheap.
 *
 * @param replacements - Sorted, each key once.
 */
export function replaceKeys<Item>(
  list: readonly Item[],
  replacements: readonly Replacement<Item>[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  let result: Item[] = [];
  let copied = 0;
  const copyTo = (end: number) => {
    // Each concatenation copies the list, so short runs are copied one by one.
    if (end - copied > result.length / 64 + 100) result = result.concat(list.slice(copied, end));
    else for (let index = copied; index < end; index++) result.push(list[index] as Item);
    copied = end;
  };
  for (const { key, items } of replacements) {
    copyTo(indexOfKey(list, key, keyOf, copied));
    while (copied < list.length && keyOf(list[copied] as Item) === key) copied++;
    for (const item of items) result.push(item);
  }
  copyTo(list.length);
  return result;
}
