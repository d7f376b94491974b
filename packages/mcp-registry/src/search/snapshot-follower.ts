import { nextTurn } from '@x/internal/async';
import { EMPTY_SNAPSHOT, type Snapshot } from '../catalog/snapshot.js';
import { TURN_MS } from './turns.js';

/** Learns, a step at a time, what there is to learn between two snapshots. */
export type Lesson = (before: Snapshot, after: Snapshot) => Iterator<unknown>;

export interface FollowedTools {
  /** The tools right now. */
  readonly current: () => Snapshot;
  /** Asked before each turn; what it throws ends the wait, and nothing else. */
  readonly throwIfOver: () => void;
}

/**
 * Keeps something in step with the snapshots of a view, when it is needed and in turns: ten thousand new tools hold up
 * nothing else. Whoever waits drives the work on, all who wait share it, and when nobody does it rests where it is.
 */
export class SnapshotFollower {
  readonly #lesson: Lesson;
  readonly #now: () => number;
  /** What is known once `#steps` are taken. */
  #goal = EMPTY_SNAPSHOT;
  #steps: Iterator<unknown> = [].values();
  #pause: Promise<void> | undefined;

  /** @param now - Milliseconds of a clock that never goes back. */
  constructor(lesson: Lesson, now: () => number = () => performance.now()) {
    this.#lesson = lesson;
    this.#now = now;
  }

  /** Calls `use` at a moment when everything about the current snapshot is known; after `use`, that may be over. */
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

  /** Works for one turn at most. What was begun is ended first: only between lessons is it known what is known. */
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
