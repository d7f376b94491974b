import { quoted } from '@x/internal/text';
import { withValue } from './changed-data.js';
import { type Data, dataFromJson, nullData } from './data-tree.js';
import type { EntryChange } from './dialect.js';
import { unsupported } from './document-fault.js';
import type { DocumentShape } from './document-shape.js';
import { containerIn, nameOf } from './entry-data.js';

/** The entries of a document as they should read after each change; what the edited text is held against. */
export class EntryTable {
  readonly #document: Data;
  readonly #shape: DocumentShape;
  /** In the order of the text. An item of a list that has no name, or the name of another one, is kept by its number. */
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

  /** How many members the map or list has, with a name or without. */
  get size(): number {
    return this.#entries.size;
  }

  /** Throws a `DocumentFault` when two items of a list have the name. */
  get(name: string): Data | undefined {
    if (this.#repeated.has(name)) throw unsupported(`${quoted(name)} names two items of the list`);
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

  /** The whole document with these entries in it. */
  toDocument(): Data {
    const { collection, keyPath } = this.#shape;
    const container: Data =
      collection === 'map'
        ? { kind: 'map', entries: Array.from(this.#entries, ([key, value]) => ({ key: String(key), value })) }
        : { kind: 'list', items: [...this.#entries.values()] };
    return withValue(this.#document, keyPath, () => container);
  }
}
