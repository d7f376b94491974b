/**
 * True if an error has the brand of a package: a global symbol that its error class sets. `instanceof` fails between
 * installed copies of a package.
 */
export function isBranded(value: unknown, brand: symbol): value is Error {
  return value instanceof Error && brand in value;
}

export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return 'something that cannot be read'; // an object without a prototype, or with a toString that throws
  }
}
