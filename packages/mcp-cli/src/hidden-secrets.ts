import type { Redactor } from '@x/mcp-config-schema';
import { hideAll } from './hide-all.js';

interface Earlier {
  readonly redactor: Redactor;
  readonly isOver: () => boolean;
}

/**
 * What the config hides, what the one before it hid, and what those before it hid that something still goes by: servers
 * hold what they were started with until they are gone, and what they said may still be told. However often the config
 * is read again, it is no more than that.
 */
export class HiddenSecrets {
  #redactor: Redactor;
  #present: Redactor;
  /** The latest first. */
  #earlier: readonly Earlier[] = [];

  constructor(present: Redactor) {
    this.#present = present;
    this.#redactor = present;
  }

  get redactor(): Redactor {
    return this.#redactor;
  }

  /**
   * Hides what `next` hides, too.
   *
   * @param isOver - Whether nothing goes by the present config any more. Asked when another one has come.
   * @returns Undoes it, when nothing came to go by `next`.
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
