import { callCode } from './calls/late-calls.js';
import { operatorCode } from './pins/operators/operator-code.js';
import { searchCode } from './search/late-search.js';

/**
 * Loads all code that is otherwise loaded on demand. For programs whose files may be replaced, or that may run out of
 * file descriptors: Node does not retry failed loads.
 */
export async function preload(): Promise<void> {
  await Promise.all([
    searchCode.load().then(({ patternCode }) => patternCode.load()),
    callCode.load().then(({ engineCode }) => engineCode.load()),
    operatorCode.load(),
  ]);
}
