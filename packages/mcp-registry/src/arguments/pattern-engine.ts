import type { JsonSchema } from '@x/internal/contracts';
import { lacksPatternEngine, usePatternEngine } from '@x/internal/json-schema';
import { LateModule } from '../late-module.js';

/** Loaded for the first schema that has a pattern. */
export const engineCode = new LateModule(async () => {
  const { RE2JS } = await import('./re2.js');
  usePatternEngine(RE2JS);
});

/** `undefined` if none of the schemas needs the engine. */
export function loadEngineFor(schemas: readonly JsonSchema[]): Promise<void> | undefined {
  return schemas.some(lacksPatternEngine) ? engineCode.load() : undefined;
}
