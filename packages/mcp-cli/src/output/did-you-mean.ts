import { nearestName } from '@x/internal/names';

/** `Did you mean "x"? ` with a blank at its end, or nothing when none of the names is near. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const nearest = nearestName(wanted, names);
  return nearest === undefined ? '' : `Did you mean "${nearest}"? `;
}
