import { nextTurn } from '@x/internal/async';
import { differences, EMPTY_SNAPSHOT, type Snapshot, type ToolEntry } from '../../catalog/snapshot.js';

/** Longest block of other work, apart from one step. */
const MAX_TURN_MS = 16;

/** Updates an index from one snapshot to another, one step at a time. */
type UpdateSteps = (before: Snapshot, after: Snapshot) => Iterator<unknown>;

export interface FollowedTools {
  readonly current: () => Snapshot;
  /** Called before each turn; its error ends only this wait. */
  readonly throwIfOver: () => void;
}

/**
 * Updates an index on demand and in turns, so that many new tools do not block other work. Waiting callers share the
 * work.
 */
export class SnapshotFollower {
  readonly #update: UpdateSteps;
  readonly #now: () => number;
  #goal = EMPTY_SNAPSHOT;
  #steps: Iterator<unknown> = [].values();
  #pause: Promise<void> | undefined;

  constructor(update: UpdateSteps, now: () => number = () => performance.now()) {
    this.#update = update;
    this.#now = now;
  }

  /** Calls `use` while the index matches the current snapshot. */
  async whenCurrent<T>({ current, throwIfOver }: FollowedTools, use: (snapshot: Snapshot) => T): Promise<T> {
    for (;;) {
      throwIfOver();
      const snapshot = current();
      if (this.#pause === undefined && this.#updateTo(snapshot)) return use(snapshot);
      this.#pause ??= nextTurn().then(() => {
        this.#pause = undefined;
      });
      await this.#pause;
    }
  }

  /** Works for at most one turn. Started updates are always finished. */
  #updateTo(snapshot: Snapshot): boolean {
    const end = this.#now() + MAX_TURN_MS;
    for (;;) {
      while (this.#steps.next().done !== true) if (this.#now() >= end) return false;
      if (this.#goal === snapshot) return true;
      this.#steps = this.#update(this.#goal, snapshot);
      this.#goal = snapshot;
    }
  }
}

/** A changed tool is in both lists. */
interface DocumentChanges {
  readonly removed: readonly ToolEntry[];
  readonly added: readonly ToolEntry[];
}

/** Changes of a source's state do not count. */
export function diffDocuments(before: Snapshot, after: Snapshot): DocumentChanges {
  const removed: ToolEntry[] = [];
  const added: ToolEntry[] = [];
  for (const { earlier, later } of differences(before, after)) {
    if (hasSameText(earlier, later)) continue;
    if (earlier !== undefined) removed.push(earlier);
    if (later !== undefined) added.push(later);
  }
  return { removed, added };
}

function hasSameText(earlier: ToolEntry | undefined, later: ToolEntry | undefined): boolean {
  if (earlier?.definition !== later?.definition) return false;
  const [before, now] = [earlier?.view, later?.view];
  if (before?.server !== now?.server || before?.title !== now?.title) return false;
  return before?.description === now?.description && before?.inputSchema === now?.inputSchema;
}

export function hasChanges({ removed, added }: DocumentChanges): boolean {
  return removed.length + added.length > 0;
}
