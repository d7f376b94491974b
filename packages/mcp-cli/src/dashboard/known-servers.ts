import type { ServerRow } from '../control/reports.js';
import { keptSamples } from './kept-samples.js';
import type { Sample, ServerView } from './page-messages.js';
import { sampleOf, serverView, withoutJitter } from './page-views.js';

/** Servers as the page receives them. */
export class KnownServers {
  readonly #history = new HealthHistory();
  readonly #memory = new Map<string, number>();
  readonly #views = new Map<string, ServerView>();

  /** By the server's name, oldest first. */
  get samples(): Readonly<Record<string, readonly Sample[]>> {
    return this.#history.all();
  }

  view(row: ServerRow, at: number): ServerView {
    return withoutJitter(serverView(row, at), this.#views.get(row.name));
  }

  /** @returns The changed parts, if any. */
  update(
    row: ServerRow,
    at: number,
  ): { readonly server: ServerView; readonly sample?: Sample | undefined } | undefined {
    const known = this.#withMemory(row);
    const sample = sampleOf(known, at);
    const isNewSample = this.#history.add(row.name, sample);
    const server = this.view(known, at);
    if (!isNewSample && JSON.stringify(server) === JSON.stringify(this.#views.get(row.name))) return undefined;
    this.#views.set(row.name, server);
    return { server, ...(isNewSample && { sample }) };
  }

  remove(name: string): void {
    this.#history.remove(name);
    this.#memory.delete(name);
    this.#views.delete(name);
  }

  /** Rows of events have no memory figure, which is expensive to read. */
  #withMemory(row: ServerRow): ServerRow {
    const { name, memoryBytes = row.pid === undefined ? undefined : this.#memory.get(name) } = row;
    if (memoryBytes === undefined) {
      this.#memory.delete(name);
      return row;
    }
    this.#memory.set(name, memoryBytes);
    return { ...row, memoryBytes };
  }
}

export class HealthHistory {
  readonly #samples = new Map<string, readonly Sample[]>();

  /** @returns False for a repetition, which is not stored. */
  add(server: string, sample: Sample): boolean {
    const samples = this.#samples.get(server) ?? [];
    const last = samples.at(-1);
    if (last && isSame(last, sample)) return false;
    this.#samples.set(server, keptSamples([...samples, sample]));
    return true;
  }

  remove(server: string): void {
    this.#samples.delete(server);
  }

  /** By the server's name, oldest first. */
  all(): Readonly<Record<string, readonly Sample[]>> {
    return Object.fromEntries(this.#samples);
  }
}

function isSame(one: Sample, other: Sample): boolean {
  return one.state === other.state && one.health === other.health && one.memoryBytes === other.memoryBytes;
}
