import { differences, type Snapshot, type ToolEntry } from '../catalog/snapshot.js';

/** Differences between two sets of tools. A changed tool is in both lists. */
export interface DocumentChanges {
  readonly removed: readonly ToolEntry[];
  readonly added: readonly ToolEntry[];
}

export function diffDocuments(before: Snapshot, after: Snapshot): DocumentChanges {
  const removed: ToolEntry[] = [];
  const added: ToolEntry[] = [];
  for (const { earlier, later } of differences(before, after)) {
    if (earlier?.definition === later?.definition && earlier?.view.server === later?.view.server) continue;
    if (earlier !== undefined) removed.push(earlier);
    if (later !== undefined) added.push(later);
  }
  return { removed, added };
}

export function hasChanges({ removed, added }: DocumentChanges): boolean {
  return removed.length + added.length > 0;
}
