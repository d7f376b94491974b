import type { Data } from './data-tree.js';
import type { ContainerOrigin, DocumentShape, EntryFields, JsonValue } from './document-shape.js';
import type { Splice } from './splice.js';

/** What an edit of one syntax needs to know. */
export interface Dialect {
  /** Parses a text, once for all that is asked of it. Texts come without a byte order mark. Throws a `DocumentFault`. */
  open(text: string): OpenText;
}

/** A text that has been parsed. It never changes: an edited text is another one. */
export interface OpenText {
  /** What the whole text says, strictly. Null data when it is empty. Throws a `DocumentFault`. */
  read(): Data;
  /** Finds where a change belongs. The change is known to be needed. Throws a `DocumentFault`. */
  locate(shape: DocumentShape, change: EntryChange, removal: Removal): LocatedChange;
}

/** The small steps that every dialect knows how to splice. */
export type EntryChange =
  | { readonly type: 'insert'; readonly name: string; readonly entry: EntryFields }
  | { readonly type: 'remove'; readonly name: string }
  /** The value is not there yet, or one of the two is no map. `path` has at least one step. */
  | { readonly type: 'set'; readonly name: string; readonly path: readonly string[]; readonly value: JsonValue }
  | { readonly type: 'unset'; readonly name: string; readonly path: readonly string[] };

/** How far a removal that leaves the container empty goes up. */
export interface Removal {
  /** Steps of the key path that may go, from the last one up; one more for the document itself. */
  readonly levels: number;
  /** What to put back in place of the whole. Only right when exactly `levels` steps go. */
  readonly replaced: string | undefined;
}

export interface LocatedChange {
  readonly splices: readonly Splice[];
  /** For an insertion that had no neighbour. */
  readonly origin?: ContainerOrigin;
  readonly behind?: LastMember | undefined;
}

/** Of an addition in a single splice: others that go behind the same member can follow it at the very same place. */
export interface LastMember {
  readonly list: object;
  /** Where the member ends, up to its last character. */
  readonly end: number;
}
