import type { Postings } from './postings.js';
import type { Vocabulary } from './vocabulary.js';
import type { WordLists } from './word-lists.js';

/** The parts of the index that a search reads. */
export interface IndexedTools {
  /** By place; a place without a name is free or belongs to a removed tool. */
  readonly names: readonly (string | undefined)[];
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly lists: WordLists;
}
