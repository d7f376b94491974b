import type { JsonSchema } from '../source.js';
import type { ArgumentFault, Expected, KeywordFault } from './argument-fault.js';
import { CheckRun, TooMuchWork } from './check-run.js';
import { type CompiledSchema, compileSchema } from './compile-schema.js';
import { shapeOf } from './expected-shape.js';
import { nearestText } from './nearest-text.js';

/** What is known of a call's arguments before the call. */
export type ArgumentCheck =
  | { readonly outcome: 'valid' }
  | { readonly outcome: 'invalid'; readonly faults: readonly ArgumentFault[] }
  /** Nothing is known: the schema cannot be used, or checking would take too long. */
  | { readonly outcome: 'unchecked'; readonly reason: string };

// Follows from its key alone, so that every view and registry may share it.
const compiled = new WeakMap<JsonSchema, CompiledSchema>();

/**
 * Checks arguments against a tool's input schema. Takes bounded time whatever the schema and the arguments are, and
 * fetches nothing. Defaults are not filled in, and nothing is converted.
 *
 * @param schema - A frozen copy, as a tool view has it.
 */
export function checkArguments(schema: JsonSchema, args: unknown): ArgumentCheck {
  const { root, gaps } = compile(schema);
  if (root === undefined) return { outcome: 'unchecked', reason: gaps.join('; ') };
  const run = new CheckRun();
  try {
    if (run.check(root, args)) return { outcome: 'valid' };
  } catch (error) {
    if (error instanceof TooMuchWork) return { outcome: 'unchecked', reason: error.message };
    throw error;
  }
  return { outcome: 'invalid', faults: run.faults.map((fault) => toArgumentFault(fault, schema)) };
}

/** What of a schema calls are not checked for, for people. Empty if everything is checked. */
export function uncheckedParts(schema: JsonSchema): readonly string[] {
  return compile(schema).gaps;
}

/** As `uncheckedParts`, but only if it is known already; it costs nothing. */
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

function toArgumentFault({ path, message, expected, guess }: KeywordFault, root: JsonSchema): ArgumentFault {
  const closest = guess && nearestText(guess.wanted, guess.among());
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
