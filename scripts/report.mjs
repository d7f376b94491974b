/** Runs named checks one after the other, prints a line for each and goes on after a failure. */
export class Report {
  #failed = 0;
  #passed = 0;

  /** @param {() => unknown} check - Fails by throwing. What it resolves with is handed on. */
  async check(name, check) {
    try {
      const result = await check();
      this.#passed += 1;
      console.log(`  ok    ${name}`);
      return result;
    } catch (error) {
      this.#failed += 1;
      console.log(`  FAIL  ${name}`);
      console.log(indent(error instanceof Error ? error.message : String(error)));
      return undefined;
    }
  }

  /** Prints the sums and sets the exit code. */
  finish() {
    console.log(`${this.#passed} checks passed, ${this.#failed} failed`);
    if (this.#failed > 0) process.exitCode = 1;
  }
}

function indent(text) {
  return text.replaceAll(/^/gm, '        ');
}
