import type { JsonSchema } from '@x/internal/contracts';
import { isSameJson } from '@x/internal/json';

/** Keywords without effect on validation. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  'title description default examples deprecated readOnly writeOnly'.split(' '),
);

/** True if a keyword has different values, so the schemas cannot be merged. */
export function isInConflict(one: JsonSchema, other: JsonSchema): boolean {
  return Object.entries(one).some(
    ([keyword, value]) =>
      Object.hasOwn(other, keyword) && !ANNOTATIONS.has(keyword) && !isSameJson(value, other[keyword]),
  );
}
