import { isRecord } from './is-record.js';

/**
 * Compares two values as JSON, regardless of the order of keys. `false` may also mean uncertain, such as for objects
 * with a `toJSON` or with members that are `undefined`.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right || Object.is(left, right)) return true;
  if (Array.isArray(left)) return Array.isArray(right) && hasSameItems(left, right);
  if (!isPlain(left) || !isPlain(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]));
}

/** By index: `every` skips the holes of an array, which are `null` in JSON. */
function hasSameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (!isSameJson(left[index], right[index])) return false;
  return true;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof value.toJSON !== 'function';
}
