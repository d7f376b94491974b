import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { RegistryError } from '../errors.js';

/**
 * Excludes short patterns that are still expensive. The slowest allowed ones take 0.1 seconds for the longest text,
 * which is always finished.
 */
export const MAX_PROGRAM_SIZE = 1_000;

interface CompileOptions {
  /** What else would work. */
  readonly advice: string;
  /** Of RE2JS. */
  readonly flags?: number;
}

/** @throws {RegistryError} `invalid-pattern` with `reason` and, if known, `position`. */
export function compilePattern(pattern: string, { advice, flags = 0 }: CompileOptions): RE2JS {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern, flags);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const isSyntax = error instanceof RE2JSSyntaxException;
    const reason = isSyntax ? error.getDescription() : error.message;
    const position = isSyntax ? positionOf(error, pattern) : undefined;
    throw invalidPattern(pattern, { reason, position, advice, cause: error });
  }
  if (expression.programSize() > MAX_PROGRAM_SIZE) {
    throw invalidPattern(pattern, { reason: 'its repetitions make it too large', advice });
  }
  return expression;
}

/** The engine reports the text at which it stopped, without its position. */
function positionOf(error: RE2JSSyntaxException, pattern: string): number | undefined {
  const piece = error.getPattern();
  if (/^(?:missing closing|trailing)/.test(error.getDescription())) return pattern.length;
  // The whole pattern has no position.
  if (piece === null || (piece === pattern && piece.length > 2)) return undefined;
  const position = pattern.indexOf(piece);
  return position < 0 ? undefined : position;
}

interface PatternFault {
  readonly reason: string;
  readonly advice: string;
  readonly position?: number | undefined;
  readonly cause?: unknown;
}

function invalidPattern(pattern: string, { reason, advice, position, cause }: PatternFault): RegistryError {
  const place = position === undefined ? '' : ` at position ${position}`;
  const message =
    `The pattern ${JSON.stringify(pattern)} cannot be searched for: ${reason}${place}. ` +
    `Patterns are in RE2 syntax, without lookaround and backreferences; ${advice}`;
  return new RegistryError('invalid-pattern', message, { reason, position, cause });
}
