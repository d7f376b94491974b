import type { JsonSchema } from '../contracts/json.js';
import type { Check, SchemaNode } from './check-run.js';
import type { PatternTest } from './text-pattern.js';

/** What the keywords of one schema are compiled with. */
export interface SchemaContext {
  /** The schema that the keywords stand in. */
  readonly schema: JsonSchema;
  /** Makes a schema below ready; `undefined` if it is none. */
  compile(schema: unknown): SchemaNode | undefined;
  /** Makes a pattern ready; if it cannot be tested, notes so and gives `undefined`. */
  pattern(source: string): PatternTest | undefined;
  /** Notes that a keyword is not checked, and gives the check that says so to whoever runs it. */
  gap(reason: string): Check;
}
