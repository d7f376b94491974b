import type { JsonSchema } from '../contracts/json.js';
import type { Check, SchemaNode } from './check-run.js';
import type { PatternTest } from './text-pattern.js';

/** Context in which the keywords of one schema are compiled. */
export interface SchemaContext {
  /** The schema that contains the keywords. */
  readonly schema: JsonSchema;
  /** Compiles a subschema; `undefined` if it is not a schema. */
  compile(schema: unknown): SchemaNode | undefined;
  /** Compiles a pattern. If it cannot be tested, records that and returns `undefined`. */
  pattern(source: string): PatternTest | undefined;
  /** Records that a keyword is not checked, and returns the check that reports so to the run. */
  gap(reason: string): Check;
}
