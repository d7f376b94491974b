/**
 * Whether an error has the brand of one package: a symbol of the global registry (`Symbol.for`) that its error class sets as
 * a member. Two installed copies of the package share it, unlike their classes, for which `instanceof` fails.
 */
export function isBranded(value: unknown, brand: symbol): value is Error {
  return value instanceof Error && brand in value;
}
