/** About the memory of an object or list, in characters. */
const OBJECT_SIZE = 64;
const FIELD_SIZE = 8;

/**
 * Characters of a JSON value in memory: its texts and keys, and an amount for each value, so that many empty ones count.
 * Stops beyond `max` and returns what it has by then.
 */
export function sizeWithin(value: unknown, max: number): number {
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && size <= max) {
    const each = waiting.pop();
    size += FIELD_SIZE;
    if (typeof each === 'string') size += each.length;
    if (typeof each !== 'object' || each === null) continue;
    size += OBJECT_SIZE;
    if (Array.isArray(each)) {
      if (each.length * FIELD_SIZE > max) return size + each.length * FIELD_SIZE;
      for (const item of each) waiting.push(item);
      continue;
    }
    for (const [key, item] of Object.entries(each)) {
      size += key.length;
      waiting.push(item);
    }
  }
  return size;
}
