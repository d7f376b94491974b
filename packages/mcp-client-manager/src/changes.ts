import { onAbort } from '@x/internal/async';
import type { ServerStatus } from './supervisor/state/server-status.js';

/** Where a server has got to. */
export interface ServerChange {
  readonly server: string;
  /** The row when it was read, not when it changed. `undefined`: the server was taken out of the configuration. */
  readonly status: ServerStatus | undefined;
}

/** When to stop following changes. */
export interface ChangesOptions {
  /** Ends the iteration, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Servers that have changed since a reader looked, each once however often it has: a slow reader costs no memory. */
export class ChangeFeed {
  readonly #readers = new Set<Reader>();
  #isClosed = false;

  /** To be called when the row of `server` would read differently. */
  note(server: string): void {
    for (const reader of this.#readers) reader.note(server);
  }

  /** Every reader gets what it has not read yet, and then the end. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.wake();
  }

  /** Begins with every server that is `known`, so that a reader needs no other look to know where all of them are. */
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
        const server = reader.take();
        if (server !== undefined) {
          const status = statusOf(server);
          if (reader.isNews(server, status)) yield { server, status };
        } else if (this.#isClosed) return;
        else await reader.noted();
      }
    } finally {
      ignoreSignal?.();
      this.#readers.delete(reader);
    }
  }
}

class Reader {
  readonly #changed: Set<string>;
  /** Servers whose rows were read last, and were there. */
  readonly #present = new Set<string>();
  #wake: (() => void) | undefined;

  constructor(known: Iterable<string>) {
    this.#changed = new Set(known);
  }

  note(server: string): void {
    this.#changed.add(server);
    this.wake();
  }

  wake(): void {
    this.#wake?.();
  }

  take(): string | undefined {
    for (const server of this.#changed) {
      this.#changed.delete(server);
      return server;
    }
    return undefined;
  }

  /** Whether the row tells anything: a server that is gone goes on changing until its process is gone, too. */
  isNews(server: string, status: ServerStatus | undefined): boolean {
    if (status === undefined) return this.#present.delete(server);
    this.#present.add(server);
    return true;
  }

  noted(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
