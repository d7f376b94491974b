import type { JsonSchema } from '../contracts/json.js';
import type { PatternEngine } from './text-pattern.js';

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

/** Whether compiling the schema needs an engine that is not set yet. Also true for a schema that has `pattern` in a default. */
export function needsPatternEngine(schema: JsonSchema): boolean {
  return engine === undefined && mentionsPatterns(schema);
}

function mentionsPatterns(schema: JsonSchema): boolean {
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const current = open.pop();
    if (typeof current !== 'object' || current === null) continue;
    if ('patternProperties' in current || ('pattern' in current && typeof current.pattern === 'string')) return true;
    for (const item of Object.values(current)) open.push(item);
  }
  return false;
}
