const MAX_LENGTH = 256;

/**
 * Whether a method is written as methods are. What is not could mean one thing here and another to a server, such as
 * `tools/call` with a line break in it, and goes to none.
 */
export function isPlainMethod(method: string): boolean {
  return method.length <= MAX_LENGTH && /^[\w$.-]+(?:\/[\w$.-]+)*$/.test(method);
}
