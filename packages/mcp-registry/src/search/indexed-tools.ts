import type { Postings } from './postings.js';
import type { Vocabulary } from './vocabulary.js';
import type { WordLists } from './word-lists.js';

export interface IndexedTools {
  /** Undefined for free ids and removed tools. */
  readonly names: readonly (string | undefined)[];
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly lists: WordLists;
}
