import { RE2JS } from 're2js';
import type { CheckRun } from './check-run.js';

const MAX_PATTERN_LENGTH = 2_000;
const MAX_PROGRAM_SIZE = 5_000;
/** A step of a run pays for so much of a pattern's work: length of the text times size of the pattern. */
const WORK_PER_STEP = 20;

/** Whether the pattern is found in the text. */
export type PatternTest = (text: string, run: CheckRun) => boolean;

/**
 * Makes a pattern ready that a server has sent. It runs on RE2's engine, which takes linear time: the language's own
 * would be held up for hours by `(a+)+$`.
 *
 * @returns `undefined` if it cannot be tested: RE2 has no lookaround and no backreferences.
 */
export function compilePattern(source: string): PatternTest | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return undefined;
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return undefined; // its syntax is not RE2's, or it is no pattern at all: the server will know
  }
  const size = expression.programSize();
  if (size > MAX_PROGRAM_SIZE) return undefined;
  return (text, run) => {
    run.spend(1 + Math.ceil((text.length * size) / WORK_PER_STEP));
    return expression.test(text);
  };
}
