import type { Redactor } from '@x/mcp-config-schema';
import { hideAll } from './hide-all.js';

interface Earlier {
  readonly redactor: Redactor;
  readonly isOver: () => boolean;
}

/**
 * Redacts secrets of the current config, the previous one, and earlier ones still in use, because servers keep their
 * initial secrets until they end. Each reload drops unused configs.
 */
export class HiddenSecrets {
  #redactor: Redactor;
  #present: Redactor;
  /** Latest first. */
  #earlier: readonly Earlier[] = [];

  constructor(present: Redactor) {
    this.#present = present;
    this.#redactor = present;
  }

  get redactor(): Redactor {
    return this.#redactor;
  }

  /**
   * Redacts secrets of `next`, too.
   *
   * @param isOver - True once the current config is no longer in use. Called at the next change.
   * @returns Reverts the change if `next` did not come into use.
   */
  turnTo(next: Redactor, isOver: () => boolean): () => void {
    const present = this.#present;
    const stillUsed = this.#earlier.filter((earlier) => !earlier.isOver());
    this.#hide(next, [{ redactor: present, isOver }, ...stillUsed]);
    return () => this.#hide(present, stillUsed);
  }

  #hide(present: Redactor, earlier: readonly Earlier[]): void {
    this.#present = present;
    this.#earlier = earlier;
    this.#redactor = hideAll([present, ...earlier.map(({ redactor }) => redactor)]);
  }
}
