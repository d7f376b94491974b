/** Largest distance of a misspelling. */
export const MAX_DISTANCE = 0.4;

/** Compared characters of a name. */
export const MAX_COMPARED = 80;

/** Key of the first 80 characters of a name, without case and kind of separators. */
export function toNameKey(name: string): string {
  return name
    .slice(0, MAX_COMPARED)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_');
}

/**
 * The changed letters as a share of the longer key, 0 to 1. A key that is a whole part of the other is near.
 *
 * @param limit - Larger distances are returned as 1.
 */
export function distanceOfKeys(wanted: string, key: string, limit = MAX_DISTANCE): number {
  if (wanted === key) return 0;
  const [short, long] = wanted.length < key.length ? [wanted, key] : [key, wanted];
  if (short.length >= 3 && `_${long}_`.includes(`_${short}_`)) return 0.1 + 0.2 * (1 - short.length / long.length);
  const changes = Math.floor(long.length * limit);
  const needed = countChanges(short, long, changes);
  return needed > changes ? 1 : needed / long.length;
}

const [twoAbove, above, current] = [0, 1, 2].map(() => new Uint8Array(MAX_COMPARED + 2)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/**
 * Optimal string alignment distance, capped at `most` + 1. Keeps three rows of the table, and fills a band around its
 * diagonal.
 *
 * @param left - At most 80 characters, like `right`.
 */
export function countChanges(left: string, right: string, most: number): number {
  const tooMany = most + 1;
  if (Math.abs(left.length - right.length) > most) return tooMany;
  let [before, last, row] = [twoAbove, above, current];
  for (let column = 0; column <= right.length; column++) last[column] = Math.min(column, tooMany);
  for (let at = 1; at <= left.length; at++) {
    const from = Math.max(1, at - most);
    const to = Math.min(right.length, at + most);
    row[from - 1] = from === 1 ? Math.min(at, tooMany) : tooMany;
    let least = row[from - 1] ?? 0;
    for (let column = from; column <= to; column++) {
      const isSame = left.charCodeAt(at - 1) === right.charCodeAt(column - 1);
      let changes = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      changes = Math.min(changes, (last[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1, tooMany);
      const isSwap =
        at > 1 &&
        column > 1 &&
        left.charCodeAt(at - 1) === right.charCodeAt(column - 2) &&
        left.charCodeAt(at - 2) === right.charCodeAt(column - 1);
      if (isSwap) changes = Math.min(changes, (before[column - 2] ?? 0) + 1);
      row[column] = changes;
      if (changes < least) least = changes;
    }
    if (to < right.length) row[to + 1] = tooMany;
    if (least > most) return tooMany;
    [before, last, row] = [last, row, before];
  }
  return last[right.length] ?? 0;
}
