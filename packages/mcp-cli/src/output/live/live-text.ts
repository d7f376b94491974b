import type { OutputStream } from '../../command.js';

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
// The terminal cuts lines that are too long, so that each takes one row.
const cutLines = '\u001b[?7l';
const wrapLines = '\u001b[?7h';
const clearBelow = '\u001b[J';

/** Text in a terminal that is redrawn in place. Disposal leaves the last text. */
export class LiveText implements Disposable {
  readonly #stream: OutputStream;
  #height = 0;
  #last = '';

  constructor(stream: OutputStream) {
    this.#stream = stream;
    stream.write(`${hideCursor}${cutLines}`);
  }

  show(text: string): void {
    const lines = text === '' ? [] : this.#fitting(text.replace(/\n$/, '').split('\n'));
    const next = lines.join('\n');
    if (next === this.#last) return;
    const up = this.#height > 0 ? `\r\u001b[${this.#height}A` : '';
    this.#stream.write(`${up}${clearBelow}${lines.length > 0 ? `${next}\n` : ''}`);
    this.#last = next;
    this.#height = lines.length;
  }

  [Symbol.dispose](): void {
    this.#stream.write(`${wrapLines}${showCursor}`);
  }

  /** Lines that have scrolled away cannot be redrawn. */
  #fitting(lines: readonly string[]): readonly string[] {
    const room = Math.max((this.#stream.rows ?? 24) - 2, 1);
    if (lines.length <= room) return lines;
    return [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more`];
  }
}
