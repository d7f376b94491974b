import { combineRedactors, type Redactor } from './redactor.js';

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
  #current: Redactor;
  /** Latest first. */
  #earlier: readonly Earlier[] = [];

  constructor(current: Redactor) {
    this.#current = current;
    this.#redactor = current;
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
  switchTo(next: Redactor, isOver: () => boolean): () => void {
    const current = this.#current;
    const stillUsed = this.#earlier.filter((earlier) => !earlier.isOver());
    this.#hide(next, [{ redactor: current, isOver }, ...stillUsed]);
    return () => this.#hide(current, stillUsed);
  }

  #hide(current: Redactor, earlier: readonly Earlier[]): void {
    this.#current = current;
    this.#earlier = earlier;
    this.#redactor = combineRedactors([current, ...earlier.map(({ redactor }) => redactor)]);
  }
}
