// Assignment of these keys to a plain object changes the object instead of adding a property.
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** True if a key is refused in texts because assigning it is unsafe. */
export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}
