import type { JsonSchema } from '@x/internal/contracts';
import { isSameJson } from '@x/internal/json';

/** Keywords that say something to a reader and allow or refuse nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  'title description default examples deprecated readOnly writeOnly'.split(' '),
);

/** Whether two schemas that both hold say different things with one keyword, so that neither may stand for the other. */
export function isInConflict(one: JsonSchema, other: JsonSchema): boolean {
  return Object.entries(one).some(
    ([keyword, value]) =>
      Object.hasOwn(other, keyword) && !ANNOTATIONS.has(keyword) && !isSameJson(value, other[keyword]),
  );
}
