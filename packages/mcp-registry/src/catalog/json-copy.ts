const MAX_DEPTH = 100;
const MAX_VALUES = 100_000;

/** Why a value was not copied. */
export class JsonCopyError extends Error {
  override readonly name = 'JsonCopyError';
}

/**
 * A deeply frozen copy of a JSON value, so that a snapshot stays what it was whatever its source does with the
 * original, and so that everything behind it can recurse without care.
 *
 * @throws {JsonCopyError} if the value nests deeper than 100 levels, has more than 100 000 values, or is no JSON.
 */
export function copyJson(value: unknown): unknown {
  let left = MAX_VALUES;

  function copy(current: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new JsonCopyError(`nests deeper than ${MAX_DEPTH} levels`);
    if (left-- === 0) throw new JsonCopyError(`has more than ${MAX_VALUES} values`);
    if (Array.isArray(current)) return Object.freeze(current.map((item) => copy(item, depth + 1)));
    if (isRecord(current)) {
      // fromEntries defines each key as its own property: `__proto__` stays a key like any other.
      const entries = Object.entries(current).filter(([, item]) => item !== undefined);
      return Object.freeze(Object.fromEntries(entries.map(([key, item]) => [key, copy(item, depth + 1)])));
    }
    if (current === undefined || typeof current === 'function' || typeof current === 'symbol') return null;
    if (typeof current === 'bigint') throw new JsonCopyError('contains a bigint');
    return current;
  }
  return copy(value, 0);
}

/** An object with string keys: no array, not `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two JSON values say the same. The order of an object's keys says nothing. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right || Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSameJson(item, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]));
}
