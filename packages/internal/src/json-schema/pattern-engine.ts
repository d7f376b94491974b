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

export function hasPatternEngine(): boolean {
  return engine !== undefined;
}
