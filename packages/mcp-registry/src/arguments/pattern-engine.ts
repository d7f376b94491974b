import type { JsonSchema } from '@x/internal/contracts';
import { lacksPatternEngine, usePatternEngine } from '@x/internal/json-schema';
import { LateModule } from '../late-module.js';

/** The engine for the patterns of schemas. Loaded for the first schema that has one. */
export const engineCode = new LateModule(async () => {
  const { RE2JS } = await import('./re2.js');
  usePatternEngine(RE2JS);
});

/** A promise while the engine that one of the schemas needs is loaded; `undefined` if none is needed. */
export function loadEngineFor(schemas: readonly JsonSchema[]): Promise<void> | undefined {
  return schemas.some(lacksPatternEngine) ? engineCode.load() : undefined;
}
