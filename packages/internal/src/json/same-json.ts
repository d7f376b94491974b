import { isRecord } from './is-record.js';

/**
 * True if two values are equal as JSON, in any order of keys. May be `false` for objects with a `toJSON` or with
 * `undefined` members.
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
