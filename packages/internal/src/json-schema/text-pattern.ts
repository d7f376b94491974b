import { RE2JS } from 're2js';
import type { CheckRun } from './check-run.js';

const MAX_PATTERN_LENGTH = 2_000;
const MAX_PROGRAM_SIZE = 5_000;
/** For all patterns of a schema together: about a tenth of a second. */
const MAX_TOTAL_SIZE = 20_000;
/** What a pattern costs to make however short it is, in the same measure. */
const SIZE_OF_ANY = 10;
/** A step of a run pays for so much of a pattern's work: length of the text times size of the pattern. */
const WORK_PER_STEP = 20;

/** Whether the pattern is found in the text. */
export type PatternTest = (text: string, run: CheckRun) => boolean;

/**
 * Makes the patterns of one schema ready, which a server has sent. They run on RE2's engine, which takes linear time: the
 * language's own would be held up for hours by `(a+)+$`.
 */
export class PatternSet {
  readonly #known = new Map<string, PatternTest | undefined>();
  #sizeLeft = MAX_TOTAL_SIZE;

  /**
   * @returns `undefined` if it cannot be tested: RE2 has no lookaround and no backreferences, or it would be too large, by
   * itself or with those before it.
   */
  compile(source: string): PatternTest | undefined {
    if (!this.#known.has(source)) this.#known.set(source, this.#make(source));
    return this.#known.get(source);
  }

  #make(source: string): PatternTest | undefined {
    const size = source.length > MAX_PATTERN_LENGTH ? Number.POSITIVE_INFINITY : SIZE_OF_ANY + sizeOf(source);
    if (size > Math.min(this.#sizeLeft, MAX_PROGRAM_SIZE)) return undefined;
    this.#sizeLeft -= size;
    return compilePattern(source);
  }
}

function compilePattern(source: string): PatternTest | undefined {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(spellSpaces(RE2JS.translateRegExp(source)));
  } catch {
    return undefined; // its syntax is not RE2's, or it is no pattern at all: the server will know
  }
  const size = expression.programSize();
  return (text, run) => {
    run.spend(1 + Math.ceil((text.length * size) / WORK_PER_STEP));
    return expression.test(text);
  };
}

/** What `\\s` stands for in the standard's patterns; for RE2 it is ASCII alone, and without the vertical tab. */
const SPACES = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

/** @throws {SyntaxError} where that cannot be said: `[^\\S]`. */
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
/** A bracket that the two languages close in different places, and a quote that one of them has not. */
const AMBIGUOUS = /\[\^?\]|\\Q/;

/** How large it will be, at most: RE2 writes repetitions out. To be known before, because making it is what takes time. */
function sizeOf(source: string): number {
  if (AMBIGUOUS.test(source)) return Number.POSITIVE_INFINITY;
  const outer: number[] = [];
  // Of the group that is open: all but the last part, and the last part, which may be repeated.
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
