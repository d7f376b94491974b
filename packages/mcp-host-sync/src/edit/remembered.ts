/**
 * Works something out once for each object, and remembers it for as long as the object is there. For parts of a parsed
 * text, which never change and whose text is always the same: what is given beside the object has to be so, too.
 */
export function rememberedPer<Key extends object, Given extends readonly unknown[], Value>(
  workOut: (key: Key, ...given: Given) => Value,
): (key: Key, ...given: Given) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key, ...given) => {
    const found = known.get(key) ?? { value: workOut(key, ...given) };
    known.set(key, found);
    return found.value;
  };
}
