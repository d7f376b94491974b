/** Deeper values may exceed the stack when they are written as JSON. */
const MAX_DEPTH = 2_000;

/** True if a value can be written as JSON. */
export function isWritable(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (depth >= MAX_DEPTH) return false;
  if ('toJSON' in value && typeof value.toJSON === 'function') return isWritable(ownForm(value), depth + 1);
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (!isWritable(each, depth + 1)) return false;
  }
  return true;
}

/** The value that an object provides in its place; an unwritable one if that fails. */
function ownForm(value: object): unknown {
  try {
    return (value as { toJSON(): unknown }).toJSON();
  } catch {
    return 0n;
  }
}
