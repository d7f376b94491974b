import type { RE2JS } from 're2js';
import type { PatternTest } from './check-run.js';

const MAX_PATTERN_LENGTH = 2_000;
const MAX_PROGRAM_SIZE = 5_000;
/** Compiled size of a schema's patterns: about a tenth of a second. */
const MAX_TOTAL_SIZE = 20_000;
/** Cost of the shortest pattern. */
const SIZE_OF_ANY = 10;
/** Length of text times size of pattern that one step covers. */
const WORK_PER_STEP = 20;

export type PatternEngine = Pick<typeof RE2JS, 'compile' | 'translateRegExp'>;

/**
 * Compiles the patterns of one schema for RE2, which takes linear time: `(a+)+$` would block the language's own engine
 * for hours.
 */
export class PatternSet {
  readonly #engine: PatternEngine;
  readonly #known = new Map<string, PatternTest | undefined>();
  #sizeLeft = MAX_TOTAL_SIZE;

  constructor(engine: PatternEngine) {
    this.#engine = engine;
  }

  /**
   * @returns `undefined` if RE2 lacks the pattern's syntax, such as lookaround, or above a limit: its length, its
   * compiled size, or that of all patterns.
   */
  compile(source: string): PatternTest | undefined {
    if (!this.#known.has(source)) this.#known.set(source, this.#make(source));
    return this.#known.get(source);
  }

  #make(source: string): PatternTest | undefined {
    const size = source.length > MAX_PATTERN_LENGTH ? Number.POSITIVE_INFINITY : SIZE_OF_ANY + sizeOf(source);
    if (size > Math.min(this.#sizeLeft, MAX_PROGRAM_SIZE)) return undefined;
    this.#sizeLeft -= size;
    return compilePattern(this.#engine, source);
  }
}

function compilePattern(engine: PatternEngine, source: string): PatternTest | undefined {
  let expression: RE2JS;
  try {
    expression = engine.compile(spellSpaces(engine.translateRegExp(source)));
  } catch {
    return undefined; // not RE2's syntax
  }
  const size = expression.programSize();
  return (text, run) => {
    run.spend(1 + Math.ceil((text.length * size) / WORK_PER_STEP));
    return expression.test(text);
  };
}

/** `\\s` of the standard; RE2's is ASCII only, without the vertical tab. */
const SPACES = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

/** @throws {SyntaxError} `[^\\S]`, which RE2 cannot express. */
function spellSpaces(source: string): string {
  let set = '';
  return source.replace(/\\.|\[\^?|\]/gs, (token) => {
    if (token.startsWith('[')) set ||= token;
    else if (token === ']') set = '';
    else if (token === '\\s') return set === '' ? `[${SPACES}]` : SPACES;
    else if (token === '\\S' && set === '') return `[^${SPACES}]`;
    else if (token === '\\S' && set === '[^') throw new SyntaxError('it has [^\\S]');
    return token;
  });
}

const CATEGORY_SIZE = 10;
const TOKEN = /\\p|\\.|\[(?:\\.|[^\]\\])+\]|\{(\d+)(?:,(\d*))?\}|./gisu;
/** A bracket that the two languages close differently, or a quote that one of them lacks. */
const AMBIGUOUS = /\[\^?\]|\\Q/;

/** Upper bound of the compiled size, since compiling takes the time. RE2 unrolls repetitions. */
function sizeOf(source: string): number {
  if (AMBIGUOUS.test(source)) return Number.POSITIVE_INFINITY;
  const outer: number[] = [];
  // Of the open group: all but its last part, and that part, which may be repeated.
  let [size, last] = [0, 0];
  for (const [token, least, most] of source.matchAll(TOKEN)) {
    if (least !== undefined) {
      last *= 1 + Math.max(Number(least), Number(most ?? 0));
    } else if (token === '(') {
      outer.push(size + last);
      [size, last] = [0, 0];
    } else if (token === ')') {
      [size, last] = [outer.pop() ?? 0, size + last + 2];
    } else {
      [size, last] = [size + last, /^\\p/i.test(token) ? CATEGORY_SIZE : 2 + token.length / 8];
    }
  }
  return outer.reduce((sum, each) => sum + each, size + last);
}

let engine: PatternEngine | undefined;

/** Sets the engine for the patterns of all schemas. It is large, so each package decides when to load it. */
export function usePatternEngine(given: PatternEngine): void {
  engine = given;
}

/** @throws {Error} No engine is set. */
export function patternEngine(): PatternEngine {
  if (engine === undefined) throw new Error('A schema with patterns is compiled before usePatternEngine() is called');
  return engine;
}

export function hasPatternEngine(): boolean {
  return engine !== undefined;
}
