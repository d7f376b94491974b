import { ByteBuffer } from './byte-buffer.js';

const newline = 0x0a;
/** Bytes kept from each end of an oversized line; enough to find a request id. */
const excerptBytes = 1_024;
/** Bytes collected of an oversized line before it is cut again. */
const shrinkAtBytes = 64 * 1_024;

export type ScannedLine =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'oversized'; readonly head: string; readonly tail: string; readonly bytes: number };

/**
 * Splits a byte stream into lines in linear time. A line of up to `maxLineBytes` (at least 64 KiB) uses at most twice
 * its size; a longer one is reported by its two ends.
 */
export class LineScanner {
  readonly #maxLineBytes: number;
  /** The unfinished line, or the two ends of an oversized one. */
  readonly #buffer = new ByteBuffer();
  #bytes = 0;

  constructor({ maxLineBytes }: { maxLineBytes: number }) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Returns the completed lines, without their ends (`\n` or `\r\n`). */
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
    if (this.#bytes === 0 && last.length <= this.#maxLineBytes) return wholeLine(last);
    this.#extend(last);
    const bytes = this.#bytes;
    const held = this.#buffer.take();
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
    this.#buffer.add(piece);
    if (this.#bytes <= this.#maxLineBytes) return;
    const isWhole = this.#buffer.length === this.#bytes;
    if (isWhole || this.#buffer.length > shrinkAtBytes) this.#shrink();
  }

  /** Rare enough to stay linear. */
  #shrink(): void {
    const held = this.#buffer.take();
    const hasMiddle = held.length > 2 * excerptBytes;
    this.#buffer.add(hasMiddle ? held.subarray(0, excerptBytes) : held);
    if (hasMiddle) this.#buffer.add(held.subarray(-excerptBytes));
  }
}

function wholeLine(bytes: Buffer): ScannedLine {
  const end = bytes.at(-1) === 0x0d ? -1 : 0;
  return { type: 'line', text: bytes.toString('utf8', 0, bytes.length + end) };
}
