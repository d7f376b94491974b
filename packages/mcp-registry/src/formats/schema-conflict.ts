import type { JsonSchema } from '@x/internal/contracts';
import { isSameJson } from '@x/internal/json';

/** Keywords for readers, which allow or refuse nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  'title description default examples deprecated readOnly writeOnly'.split(' '),
);

/** True if two schemas that both apply have different values for one keyword, so that neither can replace the other. */
export function isInConflict(one: JsonSchema, other: JsonSchema): boolean {
  return Object.entries(one).some(
    ([keyword, value]) =>
      Object.hasOwn(other, keyword) && !ANNOTATIONS.has(keyword) && !isSameJson(value, other[keyword]),
  );
}
