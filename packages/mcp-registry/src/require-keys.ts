import { isRecord } from '@x/internal/json';
import { nearestName } from '@x/internal/names';

/** @throws {TypeError} `value` is not an object, or has an unknown key. */
export function requireKeys(what: string, value: unknown, known: readonly string[]): void {
  if (!isRecord(value)) throw new TypeError(`${what} must be an object with ${known.join(', ')}`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new TypeError(`${what} has ${unknown}, which is none of ${known.join(', ')}${hint}`);
}
