/** Of a name's letters, so many may be wrong, swapped or missing for another name to have been meant. */
const maxShare = 0.4;
const maxCompared = 100;

/** `Did you mean "x"? ` with a blank at its end, or nothing when none of the names is near. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const nearest = nearestName(wanted, names);
  return nearest === undefined ? '' : `Did you mean "${nearest}"? `;
}

/** The name that was probably meant. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  let nearest: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names.slice(0, 10_000)) {
    const distance = changesBetween(wanted.toLowerCase(), name.toLowerCase());
    const isNear = distance <= Math.floor(Math.max(wanted.length, name.length) * maxShare);
    if (isNear && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) nearest = { name, distance };
  }
  return nearest?.name;
}

/** Letters to be changed, added, taken out or swapped with their neighbour. */
function changesBetween(one: string, other: string): number {
  const left = one.slice(0, maxCompared);
  const right = other.slice(0, maxCompared);
  let twoAbove: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        at(above, column - 1) + (isSame ? 0 : 1),
        at(above, column) + 1,
        at(current, column - 1) + 1,
        isSwap ? at(twoAbove, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [twoAbove, above] = [above, current];
  }
  return at(above, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
