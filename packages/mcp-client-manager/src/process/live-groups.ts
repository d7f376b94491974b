import { runningProcesses } from './process-table.js';

const gatherMs = 10;

export type ListGroups = () => ReadonlySet<number>;

/** Shares a scan of the process table: the table is long, and a manager stops its servers together. */
export class LiveGroups {
  readonly #list: ListGroups;
  #listing: Promise<ReadonlySet<number>> | undefined;

  constructor(list: ListGroups) {
    this.#list = list;
  }

  /** The scan starts after this call. */
  async has(group: number): Promise<boolean> {
    this.#listing ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#listing = undefined;
        resolve(this.#list());
      }, gatherMs);
    });
    return (await this.#listing).has(group);
  }
}

export const liveGroups = new LiveGroups(() => new Set(runningProcesses().map(({ group }) => group)));
