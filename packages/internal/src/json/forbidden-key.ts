// Assigned to a plain object, each of these changes the object instead of adding a property to it.
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a key is refused in texts: it is unsafe to assign to a plain object. */
export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}
