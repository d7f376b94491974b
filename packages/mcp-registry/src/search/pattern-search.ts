import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { RegistryError } from '../errors.js';
import type { RankedTool } from './ranker.js';
import type { SearchDocument } from './search-document.js';

/** Bounds for patterns that are short and still expensive, such as nested counts. */
const MAX_PROGRAM_SIZE = 2_000;
const MAX_DURATION_MS = 1_000;

/** The places a pattern is looked for in, each on its own, so that `^` and `$` mean the ends of that text. */
const PLACES: readonly { readonly score: number; readonly texts: (document: SearchDocument) => readonly string[] }[] = [
  { score: 5, texts: ({ tool, name }) => [tool, name] },
  { score: 4, texts: ({ server }) => [server] },
  { score: 3, texts: ({ title, keywords }) => [title, ...keywords] },
  { score: 2, texts: ({ description }) => [description] },
  { score: 1, texts: ({ parameters }) => parameters },
];

/**
 * Tools in which the pattern is found: by name first, then server, title and keywords, description, parameters.
 * RE2's engine takes linear time; the language's own could be made to run for ever by a pattern from a model.
 *
 * @throws {RegistryError} `invalid-pattern` with `reason` and, where known, `position`.
 */
export function searchPattern(pattern: string, documents: readonly SearchDocument[]): readonly RankedTool[] {
  const expression = compile(pattern);
  const deadline = Date.now() + MAX_DURATION_MS;

  const ranked = documents.flatMap((document): RankedTool[] => {
    // Half an answer would look like a whole one.
    if (Date.now() > deadline) throw invalidPattern(pattern, 'it takes too long to look for', undefined);
    const place = PLACES.find(({ texts }) => texts(document).some((text) => text !== '' && expression.test(text)));
    return place === undefined ? [] : [{ name: document.name, score: place.score }];
  });
  return ranked.sort((left, right) => right.score - left.score);
}

function compile(pattern: string): RE2JS {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const isSyntax = error instanceof RE2JSSyntaxException;
    const reason = isSyntax ? error.getDescription() : error.message;
    throw invalidPattern(pattern, reason, isSyntax ? positionOf(error, pattern) : undefined, error);
  }
  if (expression.programSize() > MAX_PROGRAM_SIZE) {
    throw invalidPattern(pattern, 'its repetitions make it too large', undefined);
  }
  return expression;
}

/** The engine names the piece that it stopped at, not the place. */
function positionOf(error: RE2JSSyntaxException, pattern: string): number | undefined {
  const piece = error.getPattern();
  if (/^(?:missing closing|trailing)/.test(error.getDescription())) return pattern.length;
  // Named whole, the pattern says nothing about the place.
  if (piece === null || (piece === pattern && piece.length > 2)) return undefined;
  const position = pattern.indexOf(piece);
  return position < 0 ? undefined : position;
}

function invalidPattern(pattern: string, reason: string, position: number | undefined, cause?: unknown): RegistryError {
  const place = position === undefined ? '' : ` at position ${position}`;
  const message =
    `The pattern ${JSON.stringify(pattern)} cannot be searched for: ${reason}${place}. ` +
    'Patterns are in RE2 syntax, without lookaround and backreferences; leave useRegex out to search by words';
  return new RegistryError('invalid-pattern', message, { reason, position, cause });
}
