/**
 * True if an error has the brand of a package: a symbol of the global registry (`Symbol.for`) that its error class
 * sets as a member. Installed copies of a package share the symbol, but not their classes, so `instanceof` fails
 * between them.
 */
export function isBranded(value: unknown, brand: symbol): value is Error {
  return value instanceof Error && brand in value;
}
