import { isSameJson } from '@x/internal/json';
import type { UpstreamEntry } from '../upstream.js';

export interface ListDifference {
  readonly before: readonly UpstreamEntry[];
  readonly after: readonly UpstreamEntry[];
}

/** Removes the common beginning and end of two lists. `undefined` for equal lists. */
export function differenceOf({ before, after }: ListDifference): ListDifference | undefined {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSameJson(before[start], after[start])) start++;
  if (start === before.length && start === after.length) return undefined;
  let end = 0;
  while (end < shorter - start && isSameJson(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
}

/** True if an audience sees a difference. */
export function isSeen({ before, after }: ListDifference, isVisible: (entry: UpstreamEntry) => boolean): boolean {
  const seenAfter = visible(after, isVisible);
  for (const entry of visible(before, isVisible)) {
    const { value, done } = seenAfter.next();
    if (done === true || !isSameJson(entry, value)) return true;
  }
  return seenAfter.next().done !== true;
}

function* visible(entries: readonly UpstreamEntry[], isVisible: (entry: UpstreamEntry) => boolean) {
  for (const entry of entries) if (isVisible(entry)) yield entry;
}
