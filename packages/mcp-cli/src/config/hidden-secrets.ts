import type { Redactor } from '@x/mcp-config-schema';

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

/** A redactor that applies several redactors. */
export function hideAll(redactors: readonly [Redactor, ...Redactor[]]): Redactor {
  const [first, ...others] = redactors;
  if (others.length === 0) return first;
  const each = <Value>(value: Value, hide: (redactor: Redactor, value: Value) => Value): Value =>
    redactors.reduce((rest, redactor) => hide(redactor, rest), value);
  return {
    redact: (text) => each(text, (redactor, rest) => redactor.redact(rest)),
    star: (text) => each(text, (redactor, rest) => redactor.star(rest)),
    redactData: (data) => each(data, (redactor, rest) => redactor.redactData(rest)),
    with: (values) => hideAll([first.with(values), ...others]),
  };
}
