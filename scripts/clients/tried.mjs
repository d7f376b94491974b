/** What programs have been tried with, for the report and for docs/works-with.md. */
export class Tried {
  #report;
  #programs = [];

  /** @param {import('../report.mjs').Report} report */
  constructor(report) {
    this.#report = report;
  }

  /** Begins with a program. The ways are those to reach the gateway: `stdio`, `HTTP`. */
  begin(program, version) {
    const entry = { program, version, tried: {}, failed: [] };
    this.#programs.push(entry);
    return {
      /** As {@link import('../report.mjs').Report.check}. */
      check: async (way, what, body) => {
        entry.tried[way] = [...(entry.tried[way] ?? []), what];
        let hasPassed = false;
        const result = await this.#report.check(`${program} ${version} over ${way}: ${what}`, async () => {
          const returned = await body();
          hasPassed = true;
          return returned;
        });
        if (!hasPassed) entry.failed.push(`${way}: ${what}`);
        return result;
      },
    };
  }

  get programs() {
    return this.#programs;
  }
}
