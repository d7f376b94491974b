/** Whether two values are the same in JSON for sure, in whatever order their keys are. Sooner seen than both are written. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    // Finding looks at holes, too, which are `null` in JSON.
    const isOther = (part: unknown, index: number) => !isSameJson(part, (b as readonly unknown[])[index]);
    return Array.isArray(b) && a.length === b.length && a.findIndex(isOther) === -1;
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  );
}

/** Not what says by itself what it is in JSON. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value);
}
