const MAX_LENGTH = 256;

/** The gateway and a server could read another form differently, such as `tools/call` with a line break. */
export function isPlainMethod(method: string): boolean {
  return method.length <= MAX_LENGTH && /^[\w$.-]+(?:\/[\w$.-]+)*$/.test(method);
}
