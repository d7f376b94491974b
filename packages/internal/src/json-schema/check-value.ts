import type { JsonSchema } from '../contracts.js';
import { nearestName } from '../names/nearest-names.js';
import { CheckRun, TooMuchWork } from './check-run.js';
import { type CompiledSchema, compileSchema, mentionsPatterns } from './compile-schema.js';
import { shapeOf } from './expected-shape.js';
import type { Expected, KeywordFault, SchemaFault } from './schema-fault.js';
import { hasPatternEngine } from './text-pattern.js';

export type SchemaCheck =
  | { readonly outcome: 'valid' }
  | { readonly outcome: 'invalid'; readonly faults: readonly SchemaFault[] }
  /** The schema cannot be used, or the check exceeds its budget. */
  | { readonly outcome: 'unchecked'; readonly reason: string };

const MAX_GUESSES = 500;

// A pure function of the key, so all users share it.
const compiled = new WeakMap<JsonSchema, CompiledSchema>();

/**
 * Checks a value against a JSON Schema, in bounded time. Fetches nothing, compiles no code, and fills in no defaults.
 *
 * @param schema - A frozen tree of bounded depth, such as `copyJson` returns. Compiled once. If it has patterns, call
 * `usePatternEngine` before.
 */
export function checkValue(schema: JsonSchema, value: unknown): SchemaCheck {
  const { root, gaps } = compile(schema);
  if (root === undefined) return { outcome: 'unchecked', reason: gaps.join('; ') };
  const run = new CheckRun();
  try {
    if (run.check(root, value)) return { outcome: 'valid' };
  } catch (error) {
    if (error instanceof TooMuchWork) return { outcome: 'unchecked', reason: error.message };
    throw error;
  }
  return { outcome: 'invalid', faults: run.faults.map((fault) => finish(fault, schema)) };
}

/** True if `usePatternEngine` must be called before a check with this schema. */
export function lacksPatternEngine(schema: JsonSchema): boolean {
  return !compiled.has(schema) && !hasPatternEngine() && mentionsPatterns(schema);
}

/** The parts of a schema that `checkValue` does not check, in words. */
export function uncheckedParts(schema: JsonSchema): readonly string[] {
  return compile(schema).gaps;
}

/** As `uncheckedParts`, but empty for a schema that is not compiled yet. */
export function knownUncheckedParts(schema: JsonSchema): readonly string[] {
  return compiled.get(schema)?.gaps ?? [];
}

function compile(schema: JsonSchema): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = compileSchema(schema);
  compiled.set(schema, made);
  return made;
}

function finish({ path, message, expected, guess }: KeywordFault, root: JsonSchema): SchemaFault {
  const closest = guess && nearestName(guess.wanted, guess.among().slice(0, MAX_GUESSES));
  return Object.freeze({
    path,
    message,
    expected: textOf(expected, root),
    ...(closest === undefined ? {} : { closest }),
  });
}

function textOf(expected: Expected, root: JsonSchema): string {
  if (typeof expected === 'function') return expected();
  return typeof expected === 'string' ? expected : shapeOf(expected.shape, root);
}
