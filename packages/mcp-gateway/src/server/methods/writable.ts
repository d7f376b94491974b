/** JSON.stringify may overflow the stack for deeper values. */
const MAX_DEPTH = 2_000;

export function isWritable(value: unknown): boolean {
  try {
    return isWritableAt(value, 0);
  } catch {
    return false; // a getter or a `toJSON` threw
  }
}

function isWritableAt(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (depth >= MAX_DEPTH) return false;
  if ('toJSON' in value && typeof value.toJSON === 'function') return isWritableAt(value.toJSON(), depth + 1);
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (!isWritableAt(each, depth + 1)) return false;
  }
  return true;
}
