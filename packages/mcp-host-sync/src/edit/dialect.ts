import type { Data } from './data/data-tree.js';
import type { ContainerOrigin, DocumentShape, EntryFields, JsonValue } from './document.js';
import type { Splice } from './text/text-edits.js';

export interface Dialect {
  /** @throws {DocumentFault} */
  open(text: string): OpenText;
}

/** A parsed text. Immutable: each edited text is opened again. */
export interface OpenText {
  /** Content of the text; null data if it is empty. @throws {DocumentFault} */
  read(): Data;
  /** Computes the splices for a change. @throws {DocumentFault} */
  locate(shape: DocumentShape, change: EntryChange, removal: Removal): LocatedChange;
}

export type EntryChange =
  | { readonly type: 'insert'; readonly name: string; readonly entry: EntryFields }
  | { readonly type: 'remove'; readonly name: string }
  /** No value exists at the path, or the old or new value is not a map. `path` has at least one key. */
  | { readonly type: 'set'; readonly name: string; readonly path: readonly string[]; readonly value: JsonValue }
  | { readonly type: 'unset'; readonly name: string; readonly path: readonly string[] };

/** Ancestors to remove with the last entry of a container. */
export interface Removal {
  /** Keys of `keyPath` to remove, from the last one up; one more removes the document. */
  readonly levels: number;
  /** Text to restore if exactly `levels` levels are removed. */
  readonly replaced: string | undefined;
}

export interface LocatedChange {
  readonly splices: readonly Splice[];
  /** Set for the first entry of a container. */
  readonly origin?: ContainerOrigin;
  readonly behind?: LastMember | undefined;
}

/** Set for an addition in a single splice: further additions can go to the same position. */
interface LastMember {
  readonly list: object;
  readonly end: number;
}
