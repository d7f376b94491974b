export interface JsonLimits {
  readonly maxBytes: number;
  /** Nesting levels of objects and arrays, including the outermost. */
  readonly maxDepth: number;
}

/**
 * Size of a parsed value as JSON, in bytes without escapes, or the exceeded limit. Iterates level by level, since the
 * nesting may exceed the stack.
 */
export function jsonSize(value: unknown, { maxBytes, maxDepth }: JsonLimits): number | 'too-deep' | 'too-large' {
  let bytes = 0;
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: unknown[] = [];
    for (const part of level) {
      if (typeof part === 'object' && part !== null) {
        if (depth >= maxDepth) return 'too-deep';
        bytes += sizeOfFrame(part);
        if (bytes > maxBytes) return 'too-large'; // before copying its values
        for (const each of Object.values(part)) below.push(each);
      } else {
        bytes += typeof part === 'string' ? Buffer.byteLength(part) + 2 : String(part).length;
      }
      if (bytes > maxBytes) return 'too-large';
    }
    level = below;
  }
  return bytes;
}

/** Bytes of brackets, keys and separators. */
function sizeOfFrame(part: object): number {
  if (Array.isArray(part)) return 2 + Math.max(part.length - 1, 0);
  const keys = Object.keys(part);
  return keys.reduce((sum, key) => sum + Buffer.byteLength(key) + 3, 2) + Math.max(keys.length - 1, 0);
}
