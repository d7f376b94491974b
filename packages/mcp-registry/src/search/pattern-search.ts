import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { compareText } from '../catalog/compare-text.js';
import type { ToolView } from '../catalog/tool-view.js';
import { RegistryError } from '../errors.js';
import type { JsonSchema } from '../source.js';
import { collectParameters, descriptionOf, keywordsOf, titleOf } from './search-document.js';

/** Bounds for patterns that are short and still expensive, such as nested counts. */
const MAX_PROGRAM_SIZE = 2_000;
const BUDGET_MS = 250;
/** Everything else in the process waits for no longer than this and one tool. */
const TURN_MS = 16;

/** How good it is to find a pattern in a field. */
const SCORES = { name: 6, server: 5, title: 4, keywords: 4, description: 3, parameters: 2 } as const;

type Field = keyof typeof SCORES;

export interface PatternMatch {
  readonly name: string;
  /** The first field that the pattern was found in. */
  readonly field: Field;
  /** The same for the same field. */
  readonly score: number;
}

export interface PatternAnswer {
  /** By field, then by name. */
  readonly matches: readonly PatternMatch[];
  /** How many tools were looked at. */
  readonly scanned: number;
  /** Whether the time was over before all were. */
  readonly timedOut: boolean;
}

export interface PatternOptions {
  /** Asked after every pause; what it throws ends the search. */
  readonly throwIfOver: () => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Tools in which the pattern is found: in the name first, then server, title and keywords, description, parameters.
 * RE2's engine takes linear time; the language's own could be made to run for ever by a pattern from a model. Linear
 * is not free either, so the search pauses to let others work, and ends after 250 milliseconds of its own work.
 *
 * @throws {RegistryError} `invalid-pattern` with `reason` and, where known, `position`.
 */
export async function searchPattern(
  pattern: string,
  tools: readonly ToolView[],
  { throwIfOver, now = () => performance.now() }: PatternOptions,
): Promise<PatternAnswer> {
  let turnStart = now();
  let usedMs = 0;
  const expression = compile(pattern);
  const matches: PatternMatch[] = [];
  let scanned = 0;

  for (const view of tools) {
    const turnMs = now() - turnStart;
    if (usedMs + turnMs >= BUDGET_MS) break;
    if (turnMs >= TURN_MS) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      throwIfOver();
      usedMs += turnMs;
      turnStart = now();
    }
    const field = findField(view, (text) => text !== '' && expression.test(text));
    if (field !== undefined) matches.push({ name: view.name, field, score: SCORES[field] });
    scanned++;
  }
  matches.sort((left, right) => right.score - left.score || compareText(left.name, right.name));
  return { matches, scanned, timedOut: scanned < tools.length };
}

/** Tries each text on its own, so that `^` and `$` mean the ends of a name and not those of a tool. */
function findField(view: ToolView, isIn: (text: string) => boolean): Field | undefined {
  if (isIn(view.tool) || isIn(view.name)) return 'name';
  if (view.server !== undefined && isIn(view.server)) return 'server';
  if (isIn(titleOf(view))) return 'title';
  if (keywordsOf(view).some(isIn)) return 'keywords';
  if (isIn(descriptionOf(view))) return 'description';
  if (parametersOf(view.inputSchema).some(isIn)) return 'parameters';
  return undefined;
}

// Walking the schemas would take as long as the search itself. Only references: the texts stay where they are.
const parameters = new WeakMap<JsonSchema, readonly string[]>();

function parametersOf(schema: JsonSchema): readonly string[] {
  const known = parameters.get(schema);
  if (known !== undefined) return known;
  const found = collectParameters(schema).parameters;
  parameters.set(schema, found);
  return found;
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
