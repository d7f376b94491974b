import type { ServerRow } from '../control/reports.js';
import { HealthHistory } from './health-history.js';
import type { Sample, ServerView } from './page-messages.js';
import { sampleOf, serverView, withoutJitter } from './server-view.js';

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
  remember(
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

  forget(name: string): void {
    this.#history.forget(name);
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
