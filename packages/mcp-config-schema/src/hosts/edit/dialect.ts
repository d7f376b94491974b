import type { Data } from './data-tree.js';
import type { ContainerOrigin, DocumentShape } from './document-shape.js';
import type { EntryChange } from './entry-changes.js';
import type { Splice } from './splice.js';

/** What an edit of one syntax needs to know. Texts come without a byte order mark. */
export interface Dialect {
  /** Reads the whole text, strictly. Null data when it is empty. Throws a `DocumentFault`. */
  read(text: string): Data;
  /** Finds where a change belongs. The text is known to be readable, and the change to be needed. */
  locate(text: string, shape: DocumentShape, change: EntryChange, removal: Removal): LocatedChange;
}

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
}
