import type { Readable } from 'node:stream';

/** Most that is read before somebody serves it, in bytes. A client that sends more waits with the rest. */
const maxEarlyBytes = 1_048_576;

/**
 * Reads stdin while nobody serves it yet: a client that goes in the meantime would not be noticed otherwise. What it has
 * sent is put back when it is over.
 */
export class EarlyInput implements Disposable {
  readonly #stdin: Readable;
  readonly #gone = new AbortController();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(stdin: Readable) {
    this.#stdin = stdin;
    if (stdin.readableEnded || stdin.destroyed) this.#gone.abort();
    stdin.on('data', this.#keep).on('end', this.#end).on('close', this.#end).on('error', this.#end);
  }

  /** Aborts when the client has ended its side. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Leaves stdin as it was found, and paused. */
  [Symbol.dispose](): void {
    const stdin = this.#stdin;
    stdin.off('data', this.#keep).off('end', this.#end).off('close', this.#end).off('error', this.#end).pause();
    if (this.#chunks.length > 0 && !this.gone.aborted) stdin.unshift(Buffer.concat(this.#chunks.splice(0)));
  }

  readonly #keep = (chunk: Buffer | string): void => {
    const bytes = Buffer.from(chunk as Buffer);
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > maxEarlyBytes) this.#stdin.pause();
  };

  readonly #end = (): void => this.#gone.abort();
}
