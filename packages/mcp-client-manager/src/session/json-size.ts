export interface JsonLimits {
  readonly maxBytes: number;
  /** Levels of objects and arrays in one another, the outermost counted. */
  readonly maxDepth: number;
}

/**
 * What a value that was read from JSON takes as JSON, in bytes, or why it is over the limits. Escapes are not counted. A
 * loop, level by level, since a server may nest deeper than a stack is.
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
        if (bytes > maxBytes) return 'too-large'; // before its parts are gathered
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

/** An object or an array without what is in it: its brackets, keys and separators. */
function sizeOfFrame(part: object): number {
  if (Array.isArray(part)) return 2 + Math.max(part.length - 1, 0);
  const keys = Object.keys(part);
  return keys.reduce((sum, key) => sum + Buffer.byteLength(key) + 3, 2) + Math.max(keys.length - 1, 0);
}
