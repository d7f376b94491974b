import type { Postings } from './postings.js';
import type { Vocabulary } from './vocabulary.js';
import type { WordLists } from './word-lists.js';

/** What the parts of a search read of the index. */
export interface IndexedTools {
  /** By place; a place without a name is free or of a tool that is gone. */
  readonly names: readonly (string | undefined)[];
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly lists: WordLists;
}
