/** Deeper, and to write it as JSON can take more stack than there is. */
const MAX_DEPTH = 2_000;

/** Whether something can be written as JSON. */
export function isWritable(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (depth >= MAX_DEPTH) return false;
  if ('toJSON' in value && typeof value.toJSON === 'function') return isWritable(ownForm(value), depth + 1);
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (!isWritable(each, depth + 1)) return false;
  }
  return true;
}

/** What an object gives to be written in its place; something that cannot be written if it fails to. */
function ownForm(value: object): unknown {
  try {
    return (value as { toJSON(): unknown }).toJSON();
  } catch {
    return 0n;
  }
}
