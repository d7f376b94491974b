const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * True for a key whose assignment changes an object instead of adding a property. Config texts must not contain one.
 */
export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}
