/** Runs work with limited concurrency, in order of arrival. */
export class Lane {
  readonly #atATime: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(atATime: number) {
    this.#atATime = atATime;
  }

  async run(work: () => Promise<void>): Promise<void> {
    if (this.#underWay >= this.#atATime) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay++;
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }
}
