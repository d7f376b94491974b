import { onAbort } from '@x/internal/async';
import type { ServerStatus } from './supervisor/state/server-status.js';

/** One row of `ClientManager.changes`. */
export interface ServerChange {
  readonly server: string;
  /** The status at the time of reading, not of the change. `undefined`: the server was removed. */
  readonly status: ServerStatus | undefined;
}

/** Options of `ClientManager.changes`. */
export interface ChangesOptions {
  /** Ends the iteration, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Holds each changed server once per reader, so a slow reader costs no memory. */
export class ChangeFeed {
  readonly #readers = new Set<Reader>();
  #isClosed = false;

  record(server: string): void {
    for (const reader of this.#readers) reader.record(server);
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.wake();
  }

  async *read(
    known: () => Iterable<string>,
    statusOf: (server: string) => ServerStatus | undefined,
    { signal }: ChangesOptions = {},
  ): AsyncGenerator<ServerChange, void, undefined> {
    const reader = new Reader(known());
    this.#readers.add(reader);
    const ignoreSignal = signal && onAbort(signal, () => reader.wake());
    try {
      for (;;) {
        signal?.throwIfAborted();
        const server = reader.next();
        if (server !== undefined) {
          const status = statusOf(server);
          if (reader.isNew(server, status)) yield { server, status };
        } else if (this.#isClosed) return;
        else await reader.changed();
      }
    } finally {
      ignoreSignal?.();
      this.#readers.delete(reader);
    }
  }
}

class Reader {
  readonly #changed: Set<string>;
  readonly #present = new Set<string>();
  #wake: (() => void) | undefined;

  constructor(known: Iterable<string>) {
    this.#changed = new Set(known);
  }

  record(server: string): void {
    this.#changed.add(server);
    this.wake();
  }

  wake(): void {
    this.#wake?.();
  }

  next(): string | undefined {
    for (const server of this.#changed) {
      this.#changed.delete(server);
      return server;
    }
    return undefined;
  }

  /** A removed server keeps changing until its process has ended. */
  isNew(server: string, status: ServerStatus | undefined): boolean {
    if (status === undefined) return this.#present.delete(server);
    this.#present.add(server);
    return true;
  }

  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
