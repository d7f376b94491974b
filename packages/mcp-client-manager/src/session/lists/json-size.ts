export interface JsonLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** In bytes without escapes, or the exceeded limit. Iterates level by level: the nesting may exceed the stack. */
export function jsonSize(value: unknown, { maxBytes, maxDepth }: JsonLimits): number | 'too-deep' | 'too-large' {
  let bytes = 0;
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: unknown[] = [];
    for (const part of level) {
      if (typeof part === 'object' && part !== null) {
        if (depth >= maxDepth) return 'too-deep';
        bytes += sizeOfFrame(part);
        if (bytes > maxBytes) return 'too-large';
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

function sizeOfFrame(part: object): number {
  if (Array.isArray(part)) return 2 + Math.max(part.length - 1, 0);
  const keys = Object.keys(part);
  return keys.reduce((sum, key) => sum + Buffer.byteLength(key) + 3, 2) + Math.max(keys.length - 1, 0);
}
