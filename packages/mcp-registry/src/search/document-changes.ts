import { compareText } from '../catalog/compare-text.js';
import type { ToolEntry } from '../catalog/snapshot.js';

/** By public name, in the order of public names, as a snapshot has them. */
type Entries = ReadonlyMap<string, ToolEntry>;

/** What a search has to learn to get from one set of tools to another. A tool that changed is in both lists. */
export interface DocumentChanges {
  readonly removed: readonly ToolEntry[];
  readonly added: readonly ToolEntry[];
}

/**
 * Compares by identity, side by side, so that the few changes of a large set cost little. That a source starts or stops
 * changes none of its tools' words.
 */
export function diffDocuments(before: Entries, after: Entries): DocumentChanges {
  const removed: ToolEntry[] = [];
  const added: ToolEntry[] = [];
  if (before === after) return { removed, added };
  const [olds, news] = [before.values(), after.values()];
  let [old, now] = [olds.next().value, news.next().value];

  while (old !== undefined || now !== undefined) {
    const order = old === now ? 0 : compareNames(old, now);
    if (order <= 0 && old !== undefined) {
      if (order < 0 || !isSameDocument(old, now)) removed.push(old);
    }
    if (order >= 0 && now !== undefined) {
      if (order > 0 || !isSameDocument(old, now)) added.push(now);
    }
    if (order <= 0) old = olds.next().value;
    if (order >= 0) now = news.next().value;
  }
  return { removed, added };
}

/** Whoever has come to its end waits for the other. */
function compareNames(old: ToolEntry | undefined, now: ToolEntry | undefined): number {
  if (old === undefined) return 1;
  return now === undefined ? -1 : compareText(old.view.name, now.view.name);
}

function isSameDocument(old: ToolEntry | undefined, now: ToolEntry | undefined): boolean {
  return old === now || (old?.definition === now?.definition && old?.view.server === now?.view.server);
}
