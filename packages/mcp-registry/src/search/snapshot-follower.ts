import { nextTurn } from '@x/internal/async';
import { EMPTY_SNAPSHOT, type Snapshot } from '../catalog/snapshot.js';
import { TURN_MS } from './turns.js';

/** Updates an index from one snapshot to another, one step at a time. */
export type Lesson = (before: Snapshot, after: Snapshot) => Iterator<unknown>;

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
  readonly #lesson: Lesson;
  readonly #now: () => number;
  #goal = EMPTY_SNAPSHOT;
  #steps: Iterator<unknown> = [].values();
  #pause: Promise<void> | undefined;

  constructor(lesson: Lesson, now: () => number = () => performance.now()) {
    this.#lesson = lesson;
    this.#now = now;
  }

  /** Calls `use` while the index matches the current snapshot. */
  async when<T>({ current, throwIfOver }: FollowedTools, use: (snapshot: Snapshot) => T): Promise<T> {
    for (;;) {
      throwIfOver();
      const snapshot = current();
      if (this.#pause === undefined && this.#reaches(snapshot)) return use(snapshot);
      this.#pause ??= nextTurn().then(() => {
        this.#pause = undefined;
      });
      await this.#pause;
    }
  }

  /** Works for at most one turn. Started updates are always finished. */
  #reaches(snapshot: Snapshot): boolean {
    const end = this.#now() + TURN_MS;
    for (;;) {
      while (this.#steps.next().done !== true) if (this.#now() >= end) return false;
      if (this.#goal === snapshot) return true;
      this.#steps = this.#lesson(this.#goal, snapshot);
      this.#goal = snapshot;
    }
  }
}
