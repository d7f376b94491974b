const newline = 0x0a;
/** How much of a line over the limit is kept from each of its ends, in bytes; enough to find a request id in. */
const excerptBytes = 1_024;
/** How much of a line over the limit is gathered before it is cut to its ends again, in bytes. */
const shrinkAtBytes = 64 * 1_024;

export type ScannedLine =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'oversized'; readonly head: string; readonly tail: string; readonly bytes: number };

/**
 * Cuts a byte stream into lines. Each byte is looked at once, however the stream is chunked, and never more than
 * `maxLineBytes` (or 64 KiB, if that is more) are held: a longer line is skipped to its end and reported by its two
 * ends.
 */
export class LineScanner {
  readonly #maxLineBytes: number;
  #pieces: Buffer[] = [];
  /** Length of the line so far. */
  #bytes = 0;
  /** How much of it is in `#pieces`. */
  #heldBytes = 0;

  constructor({ maxLineBytes }: { maxLineBytes: number }) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that `chunk` completes, without their ends (`\n` or `\r\n`). */
  scan(chunk: Buffer): ScannedLine[] {
    const lines: ScannedLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#extend(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#extend(chunk.subarray(start));
    return lines;
  }

  #extend(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#heldBytes += piece.length;
    if (this.#bytes <= this.#maxLineBytes) return;
    const isWhole = this.#heldBytes === this.#bytes;
    if (isWhole || this.#heldBytes > shrinkAtBytes) this.#shrink();
  }

  /** Keeps the two ends only. Waits until there is much to drop, so that the whole stays linear. */
  #shrink(): void {
    const held = Buffer.concat(this.#pieces);
    const hasMiddle = held.length > 2 * excerptBytes;
    const ends = hasMiddle ? Buffer.concat([held.subarray(0, excerptBytes), held.subarray(-excerptBytes)]) : held;
    this.#pieces = [ends];
    this.#heldBytes = ends.length;
  }

  #take(): ScannedLine {
    const held = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    const bytes = this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    this.#heldBytes = 0;
    if (bytes <= this.#maxLineBytes) {
      const end = held.at(-1) === 0x0d ? -1 : undefined;
      return { type: 'line', text: held.toString('utf8', 0, held.length + (end ?? 0)) };
    }
    return {
      type: 'oversized',
      head: held.toString('utf8', 0, excerptBytes),
      tail: held.toString('utf8', Math.max(held.length - excerptBytes, 0)),
      bytes,
    };
  }
}
