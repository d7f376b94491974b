import { ByteBuffer } from './byte-buffer.js';

const newline = 0x0a;
/** How much of a line over the limit is kept from each of its ends, in bytes; enough to find a request id in. */
const excerptBytes = 1_024;
/** How much of a line over the limit is gathered before it is cut to its ends again, in bytes. */
const shrinkAtBytes = 64 * 1_024;

export type ScannedLine =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'oversized'; readonly head: string; readonly tail: string; readonly bytes: number };

/**
 * Cuts a byte stream into lines. Each byte is looked at once, however the stream is chunked, and a line of up to
 * `maxLineBytes` (or 64 KiB, if that is more) is held in no more than twice that: a longer line is skipped to its end and
 * reported by its two ends.
 */
export class LineScanner {
  readonly #maxLineBytes: number;
  /** What there is of a line whose end has not come, or its two ends when it is over the limit. */
  readonly #held = new ByteBuffer();
  /** Length of that line so far. */
  #bytes = 0;

  constructor({ maxLineBytes }: { maxLineBytes: number }) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that `chunk` completes, without their ends (`\n` or `\r\n`). */
  scan(chunk: Buffer): ScannedLine[] {
    const lines: ScannedLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      lines.push(this.#complete(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#extend(chunk.subarray(start));
    return lines;
  }

  #complete(last: Buffer): ScannedLine {
    if (this.#bytes === 0 && last.length <= this.#maxLineBytes) return wholeLine(last); // most lines come in one piece
    this.#extend(last);
    const bytes = this.#bytes;
    const held = this.#held.take();
    this.#bytes = 0;
    if (bytes <= this.#maxLineBytes) return wholeLine(held);
    return {
      type: 'oversized',
      head: held.toString('utf8', 0, excerptBytes),
      tail: held.toString('utf8', Math.max(held.length - excerptBytes, 0)),
      bytes,
    };
  }

  #extend(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#held.add(piece);
    if (this.#bytes <= this.#maxLineBytes) return;
    const isWhole = this.#held.length === this.#bytes;
    if (isWhole || this.#held.length > shrinkAtBytes) this.#shrink();
  }

  /** Keeps the two ends only. Waits until there is much to drop, so that the whole stays linear. */
  #shrink(): void {
    const held = this.#held.take();
    const hasMiddle = held.length > 2 * excerptBytes;
    this.#held.add(hasMiddle ? held.subarray(0, excerptBytes) : held);
    if (hasMiddle) this.#held.add(held.subarray(-excerptBytes));
  }
}

function wholeLine(bytes: Buffer): ScannedLine {
  const end = bytes.at(-1) === 0x0d ? -1 : 0;
  return { type: 'line', text: bytes.toString('utf8', 0, bytes.length + end) };
}
