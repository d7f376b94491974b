/**
 * Caches a result per object, such as a node of a parsed text. The other arguments must always be the same for an
 * object.
 */
export function memoizePer<Key extends object, Given extends readonly unknown[], Value>(
  compute: (key: Key, ...given: Given) => Value,
): (key: Key, ...given: Given) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key, ...given) => {
    const found = known.get(key) ?? { value: compute(key, ...given) };
    known.set(key, found);
    return found.value;
  };
}
