const MAX_LENGTH = 256;

/**
 * True for a method name of the usual form. Another one could have different meanings here and for a server, such as
 * `tools/call` with a line break in it, and is not passed on.
 */
export function isPlainMethod(method: string): boolean {
  return method.length <= MAX_LENGTH && /^[\w$.-]+(?:\/[\w$.-]+)*$/.test(method);
}
