import { nextTurn } from '@x/internal/async';
import type { JsonSchema } from '@x/internal/contracts';
import { compareText } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { RegistryError } from '../errors.js';
import { collectParameters, descriptionOf, keywordsOf, titleOf } from './search-document.js';
import { TURN_MS } from './turns.js';

/**
 * For patterns that are short and still expensive, such as nested counts. A text that was begun is tried to its end: with
 * this size the slowest of them take a tenth of a second for the longest one.
 */
const MAX_PROGRAM_SIZE = 1_000;
const BUDGET_MS = 250;
/** Instructions times characters from one look at the clock to the next. The slowest patterns take milliseconds for it. */
const EFFORT_A_LOOK = 50_000;

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
  const expression = compile(pattern);
  const size = expression.programSize();
  const budget = new WorkBudget(now);
  const matches: PatternMatch[] = [];
  let effort = 0;
  let scanned = 0;

  scan: for (const view of tools) {
    for (const [field, text] of textsOf(view)) {
      effort += size * text.length;
      if (effort > EFFORT_A_LOOK) {
        effort = 0;
        if (budget.isSpent) break scan;
        if (budget.isTurnOver) {
          await budget.nextTurn();
          throwIfOver();
        }
      }
      if (text === '' || !expression.test(text)) continue;
      matches.push({ name: view.name, field, score: SCORES[field] });
      break;
    }
    scanned++;
  }
  matches.sort((left, right) => right.score - left.score || compareText(left.name, right.name));
  return { matches, scanned, timedOut: scanned < tools.length };
}

/** Counts the time of the work itself, without what others do in between. */
class WorkBudget {
  readonly #now: () => number;
  #turnStart: number;
  #usedMs = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#turnStart = now();
  }

  get isSpent(): boolean {
    return this.#usedMs + this.#turnMs >= BUDGET_MS;
  }

  get isTurnOver(): boolean {
    return this.#turnMs >= TURN_MS;
  }

  get #turnMs(): number {
    return this.#now() - this.#turnStart;
  }

  async nextTurn(): Promise<void> {
    this.#usedMs += this.#turnMs;
    await nextTurn();
    this.#turnStart = this.#now();
  }
}

/** Each text on its own, so that `^` and `$` mean the ends of a name and not those of a tool. */
function* textsOf(view: ToolView): Generator<readonly [field: Field, text: string], undefined> {
  yield ['name', view.tool];
  yield ['name', view.name];
  if (view.server !== undefined) yield ['server', view.server];
  yield ['title', titleOf(view)];
  for (const keyword of keywordsOf(view)) yield ['keywords', keyword];
  yield ['description', descriptionOf(view)];
  for (const parameter of parametersOf(view.inputSchema)) yield ['parameters', parameter];
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
