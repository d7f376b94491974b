import { quoted } from '@x/internal/text';
import type { EntryChange } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { DocumentShape } from '../document-shape.js';
import { type Data, dataFromJson, nullData, withValue } from './data-tree.js';
import { containerIn, nameOf } from './entry-data.js';

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
