import { nearestName } from '@x/internal/names';

/** `Did you mean "x"? ` with a trailing blank, or an empty string when no name is similar. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const nearest = nearestName(wanted, names);
  return nearest === undefined ? '' : `Did you mean "${nearest}"? `;
}
