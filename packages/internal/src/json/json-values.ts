/** An object with string keys: not an array, not `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** True if a value nests objects and arrays more than `levels` deep. Recurses no deeper than that. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(levels - 1, item)) return true;
    return false;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) if (isDeeperThan(levels - 1, members[key])) return true;
  return false;
}

/**
 * The value that a JSON Pointer refers to; `undefined` if there is none.
 *
 * @param fragment - The pointer as the fragment of a URI, percent-encoded, such as `/$defs/path`. Empty: `root`.
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-6
 */
export function followPointer(root: unknown, fragment: string): unknown {
  const pointer = decodeFragment(fragment);
  if (pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))) return undefined;
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((place, step) => {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const isIn = typeof place === 'object' && place !== null && Object.hasOwn(place, key);
      return isIn ? (place as Readonly<Record<string, unknown>>)[key] : undefined;
    }, root);
}

/** `undefined` if it is invalid. */
export function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * True for a key whose assignment changes an object instead of adding a property. Config texts must not contain one.
 */
export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}
