/** What holding a value takes beside its text. */
const VALUE_BYTES = 16;

/** Roughly how much memory a JSON value takes, in bytes, without writing it down. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += sizeOf(item);
  else for (const [name, item] of Object.entries(value)) bytes += name.length + VALUE_BYTES + sizeOf(item);
  return bytes;
}
