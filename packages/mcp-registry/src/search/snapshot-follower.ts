import { nextTurn } from '@x/internal/async';
import { EMPTY_SNAPSHOT, type Snapshot } from '../catalog/snapshot.js';
import { TURN_MS } from './turns.js';

/** Learns the difference between two snapshots, one step at a time. */
export type Lesson = (before: Snapshot, after: Snapshot) => Iterator<unknown>;

export interface FollowedTools {
  /** The current tools. */
  readonly current: () => Snapshot;
  /** Called before each turn; an error of it ends the wait, and nothing else. */
  readonly throwIfOver: () => void;
}

/**
 * Keeps an index in step with the snapshots of a view, on demand and in turns: ten thousand new tools block nothing
 * else. Waiting callers drive the work and share it; without any, it pauses.
 */
export class SnapshotFollower {
  readonly #lesson: Lesson;
  readonly #now: () => number;
  /** The state after `#steps`. */
  #goal = EMPTY_SNAPSHOT;
  #steps: Iterator<unknown> = [].values();
  #pause: Promise<void> | undefined;

  /** @param now - Milliseconds of a monotonic clock. */
  constructor(lesson: Lesson, now: () => number = () => performance.now()) {
    this.#lesson = lesson;
    this.#now = now;
  }

  /** Calls `use` at a moment when the index matches the current snapshot, which may change right after. */
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

  /** Works for at most one turn. A started update is always finished: the state is defined only between updates. */
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
