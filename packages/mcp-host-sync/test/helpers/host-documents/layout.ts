import fc from 'fast-check';

/** Random choices of a writer. Falls back to the first option, so that shrunk cases are plain. */
export class Layout {
  readonly #choices: readonly number[];
  #next = 0;
  #comments = 0;
  readonly lineEnd: string;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
    this.lineEnd = this.pick(['\n', '\n', '\r\n']);
  }

  pick<T>(options: readonly [T, ...T[]]): T {
    const choice = this.#choices[this.#next++] ?? 0;
    return options[choice % options.length] ?? options[0];
  }

  /** True in one of `times` cases. */
  oneIn(times: number): boolean {
    return (this.#choices[this.#next++] ?? 0) % times === times - 1;
  }

  /** Different from every other comment of the text. */
  comment(): string {
    this.#comments += 1;
    return `c${this.#comments}${this.pick(['', ' "x": {', ' [a.b]', " it's: x", ' , }'])}`;
  }
}

export const anyLayout: fc.Arbitrary<readonly number[]> = fc.array(fc.nat({ max: 10_000 }), {
  maxLength: 300,
  size: 'max',
});
