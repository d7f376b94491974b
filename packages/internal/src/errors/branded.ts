/**
 * True if an error has the brand of a package: a global symbol that its error class sets. `instanceof` fails between
 * installed copies of a package.
 */
export function isBranded(value: unknown, brand: symbol): value is Error {
  return value instanceof Error && brand in value;
}
