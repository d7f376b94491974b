import type { JsonSchema } from '../contracts/json.js';
import type { Check, SchemaNode } from './check-run.js';
import type { PatternTest } from './text-pattern.js';

export interface SchemaContext {
  readonly schema: JsonSchema;
  /** Compiles a subschema; `undefined` if it is not a schema. */
  compile(schema: unknown): SchemaNode | undefined;
  /** Records a pattern that cannot be tested, and returns `undefined`. */
  pattern(source: string): PatternTest | undefined;
  /** Records that a keyword is not checked. Returns a check that every value passes. */
  gap(reason: string): Check;
}
