import { runningProcesses } from './process-table.js';

/** Wait for further queries before the scan, in milliseconds. */
const gatherMs = 10;

export type ListGroups = () => ReadonlySet<number>;

/**
 * Shares one scan of the process table among concurrent queries: the table has all processes of the machine, and a
 * manager stops its servers together.
 */
export class LiveGroups {
  readonly #list: ListGroups;
  #listing: Promise<ReadonlySet<number>> | undefined;

  constructor(list: ListGroups) {
    this.#list = list;
  }

  /** True if a process of the group runs, by a scan that starts after this call. */
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
