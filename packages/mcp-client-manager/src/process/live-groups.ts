import { runningProcesses } from './process-table.js';

/** How long a look waits for others who want one, too, in milliseconds. */
const gatherMs = 10;

/** What tells which process groups still have a process that runs. */
export type LookAtGroups = () => ReadonlySet<number>;

/**
 * Looks at the table of processes for everybody who asks about the same time: it has a row for each process of the
 * machine, and a manager with many servers stops them together.
 */
export class LiveGroups {
  readonly #look: LookAtGroups;
  #looking: Promise<ReadonlySet<number>> | undefined;

  constructor(look: LookAtGroups) {
    this.#look = look;
  }

  /** Whether a process of the group runs, by a look that is taken after the question. */
  async has(group: number): Promise<boolean> {
    this.#looking ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#looking = undefined;
        resolve(this.#look());
      }, gatherMs);
    });
    return (await this.#looking).has(group);
  }
}

/** Of this machine, as Linux tells it. A zombie, which nobody has waited for yet, does not run. */
export const liveGroups = new LiveGroups(() => new Set(runningProcesses().map(({ group }) => group)));
