import { argumentCode } from './arguments/argument-code.js';
import { operatorCode } from './pins/operator-code.js';
import { searchCode } from './search/late-search.js';

/**
 * Loads now the code that is otherwise loaded by the first search, checked call, description or read of an operator. For a
 * program whose files may be replaced while it runs, and for one that may run out of file descriptors: Node never tries again
 * to load a file that it could not read.
 */
export async function preload(): Promise<void> {
  await Promise.all([
    searchCode.load().then(({ patternCode }) => patternCode.load()),
    argumentCode.load().then(({ engineCode }) => engineCode.load()),
    operatorCode.load(),
  ]);
}
