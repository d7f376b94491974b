/** Runs at most so many pieces of work at once, in the order in which they were given. */
export class Slots {
  #free;
  #waiting = [];

  constructor(count) {
    this.#free = count;
  }

  async use(work) {
    if (this.#free === 0) await new Promise((free) => this.#waiting.push(free));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
