import type { Readable } from 'node:stream';

/** Bytes buffered, at most. A client that sends more blocks. */
const maxEarlyBytes = 1_048_576;

/**
 * Buffers stdin until serving starts, to detect the end of the client meanwhile. Disposal puts the bytes back.
 */
export class BufferedStdin implements Disposable {
  readonly #stdin: Readable;
  readonly #gone = new AbortController();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(stdin: Readable) {
    this.#stdin = stdin;
    if (stdin.readableEnded || stdin.destroyed) this.#gone.abort();
    stdin.on('data', this.#keep).on('end', this.#end).on('close', this.#end).on('error', this.#end);
  }

  /** Aborts when the client closes stdin. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Restores stdin, paused. */
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
