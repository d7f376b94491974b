/** Whether a value from elsewhere is an object with named fields: no array, and not `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
