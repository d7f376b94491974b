import { StringDecoder } from 'node:string_decoder';

/** Longest line that is kept, in characters; the rest of a longer one is dropped. */
const maxLineLength = 4_096;
/** How much of the stream is remembered, in characters. */
const maxTailLength = 64 * 1_024;

/**
 * Reads a server's stderr to its end, whether anybody listens or not: a pipe that nobody reads fills up, and a server
 * that writes to a full pipe stands still. Keeps the last 64 KiB as lines.
 */
export class StderrTail {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #lines: string[] = [];
  /** Where the remembered lines begin; what is before is dropped now and then, since `shift` moves a long array. */
  #first = 0;
  #length = 0;
  #open = '';
  #isCut = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    const pieces = this.#decoder.write(chunk).split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      this.#extend(piece);
      this.#finishLine();
    }
    this.#extend(last);
  }

  /** The stream is over: what it ended with is a line, too. */
  end(): void {
    this.#extend(this.#decoder.end());
    if (this.#open !== '') this.#finishLine();
  }

  /** The remembered lines, oldest first, with an unfinished last one. */
  lines(): readonly string[] {
    const lines = this.#lines.slice(this.#first);
    return this.#open === '' ? lines : [...lines, this.#open];
  }

  #extend(piece: string): void {
    const room = maxLineLength - this.#open.length;
    this.#open += piece.slice(0, Math.max(room, 0));
    this.#isCut ||= piece.length > room;
  }

  #finishLine(): void {
    const line = (this.#isCut ? `${this.#open}…` : this.#open).replace(/\r$/, '');
    this.#open = '';
    this.#isCut = false;
    this.#lines.push(line);
    this.#length += line.length + 1;
    this.#forget();
    this.#onLine(line);
  }

  #forget(): void {
    while (this.#length > maxTailLength) {
      this.#length -= (this.#lines[this.#first]?.length ?? 0) + 1;
      this.#first += 1;
    }
    if (this.#first <= this.#lines.length / 2) return;
    this.#lines = this.#lines.slice(this.#first);
    this.#first = 0;
  }
}
