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
