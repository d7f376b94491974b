import type { ToolView } from '@x/internal/views';
import { placeOf } from './sorted-list.js';

/** Number of binary searches before a table is built. */
const LOOK_UPS_BEFORE_TABLE = 200;

interface Named {
  readonly view: ToolView;
}

/** Entries by public name, sorted. The map is built on demand, because most snapshots are read once. */
export class EntryTable<Entry extends Named> implements ReadonlyMap<string, Entry> {
  readonly ordered: readonly Entry[];
  #lookUps = 0;
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
    if (this.#table === undefined && this.#lookUps++ >= LOOK_UPS_BEFORE_TABLE) this.#table = new Map(this.entries());
    if (this.#table !== undefined) return this.#table.get(name);
    const entry = this.ordered[placeOf(this.ordered, name, publicNameOf)];
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
