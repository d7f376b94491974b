import { nextTurn } from '@x/internal/async';
import type { JsonSchema } from '@x/internal/contracts';
import { compareText } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import { RE2JS } from 're2js';
import { compilePattern, MAX_PROGRAM_SIZE } from './compile-pattern.js';
import { collectParameters, descriptionOf, keywordsOf, titleOf } from './index/search-document.js';

const BUDGET_MS = 250;
/** Longest block of other work, apart from one text. */
const MAX_TURN_MS = 16;
/** Instructions times characters between two checks of the time. */
const EFFORT_A_LOOK = 50_000;

const SCORES = { name: 6, server: 5, title: 4, keywords: 4, description: 3, parameters: 2 } as const;

type Field = keyof typeof SCORES;

interface PatternMatch {
  readonly name: string;
  /** The first matching field. */
  readonly field: Field;
  readonly score: number;
}

interface PatternAnswer {
  /** Sorted by field, then by name. */
  readonly matches: readonly PatternMatch[];
  readonly scanned: number;
  readonly timedOut: boolean;
  /** Nothing matches, and something would in another case. */
  readonly missesByCase?: true;
}

interface PatternOptions {
  /** Called after every pause; its error ends the search. */
  readonly throwIfOver: () => void;
  readonly now?: () => number;
}

/**
 * Tools that match the pattern, by field: name, server, title and keywords, description, parameters. RE2 takes linear
 * time for any pattern. The search pauses for other work and ends after 250 milliseconds of its own time.
 *
 * @throws {RegistryError} `invalid-pattern` with `reason` and, if known, `position`.
 */
export async function searchPattern(
  pattern: string,
  tools: readonly ToolView[],
  { throwIfOver, now = () => performance.now() }: PatternOptions,
): Promise<PatternAnswer> {
  const expression = compilePattern(pattern, { advice: 'leave useRegex out to search by words' });
  const budget = new WorkBudget(now, throwIfOver);
  const matches: PatternMatch[] = [];
  const scanned = await scan(expression, tools, budget, ({ name }, field) => {
    matches.push({ name, field, score: SCORES[field] });
  });
  matches.sort((left, right) => right.score - left.score || compareText(left.name, right.name));
  const timedOut = scanned < tools.length;
  const isMiss = matches.length === 0 && !timedOut;
  return {
    matches,
    scanned,
    timedOut,
    ...(isMiss && (await matchesInAnyCase(pattern, tools, budget)) && { missesByCase: true }),
  };
}

/** Calls `onMatch` with the first matching field of each tool. Returns the number of tools before the time was over. */
async function scan(
  expression: RE2JS,
  tools: readonly ToolView[],
  budget: WorkBudget,
  onMatch: (view: ToolView, field: Field) => void,
): Promise<number> {
  const size = expression.programSize();
  let effort = 0;
  for (const [scanned, view] of tools.entries()) {
    for (const [field, text] of textsOf(view)) {
      effort += size * text.length;
      if (effort > EFFORT_A_LOOK) {
        effort = 0;
        if (budget.isSpent) return scanned;
        if (budget.isTurnOver) await budget.nextTurn();
      }
      if (text === '' || !expression.test(text)) continue;
      onMatch(view, field);
      break;
    }
  }
  return tools.length;
}

/** Uses what is left of the time. */
async function matchesInAnyCase(pattern: string, tools: readonly ToolView[], budget: WorkBudget): Promise<boolean> {
  const expression = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  if (expression.programSize() > MAX_PROGRAM_SIZE) return false;
  let isFound = false;
  await scan(expression, tools, budget, () => {
    isFound = true;
  });
  return isFound;
}

/** Measures time without pauses. */
class WorkBudget {
  readonly #now: () => number;
  readonly #throwIfOver: () => void;
  #turnStart: number;
  #usedMs = 0;

  constructor(now: () => number, throwIfOver: () => void) {
    this.#now = now;
    this.#throwIfOver = throwIfOver;
    this.#turnStart = now();
  }

  get isSpent(): boolean {
    return this.#usedMs + this.#turnMs >= BUDGET_MS;
  }

  get isTurnOver(): boolean {
    return this.#turnMs >= MAX_TURN_MS;
  }

  get #turnMs(): number {
    return this.#now() - this.#turnStart;
  }

  async nextTurn(): Promise<void> {
    this.#usedMs += this.#turnMs;
    await nextTurn();
    this.#turnStart = this.#now();
    this.#throwIfOver();
  }
}

/** Separate texts, so that `^` and `$` match the ends of each. */
function* textsOf(view: ToolView): Generator<readonly [field: Field, text: string], undefined> {
  yield ['name', view.tool];
  yield ['name', view.name];
  if (view.server !== undefined) yield ['server', view.server];
  yield ['title', titleOf(view)];
  for (const keyword of keywordsOf(view)) yield ['keywords', keyword];
  yield ['description', descriptionOf(view)];
  for (const parameter of parametersOf(view.inputSchema)) yield ['parameters', parameter];
}

// Walking the schemas would take as long as the search.
const parameters = new WeakMap<JsonSchema, readonly string[]>();

function parametersOf(schema: JsonSchema): readonly string[] {
  const known = parameters.get(schema);
  if (known !== undefined) return known;
  const found = collectParameters(schema).parameters;
  parameters.set(schema, found);
  return found;
}
