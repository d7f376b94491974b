import { StringDecoder } from 'node:string_decoder';

/** Longest line that is kept, in characters; the rest of a longer one is dropped. */
const maxLineLength = 4_096;
/**
 * How much more of a line is read only to recognise a secret that reaches over the cut, in characters. A longer secret
 * than this is not recognised there.
 */
const redactionMargin = 4_096;
/** How much of the stream is remembered, in characters. */
const maxTailLength = 64 * 1_024;

export interface StderrTailOptions {
  /** Called with every line, redacted and without its end. */
  readonly onLine: (line: string) => void;
  /** Takes secrets out of one whole line. Default: leaves it as it is. */
  readonly redact?: ((line: string) => string) | undefined;
}

/**
 * Reads a server's stderr to its end, whether anybody listens or not: a pipe that nobody reads fills up, and a server
 * that writes to a full pipe stands still. Keeps the last 64 KiB as lines. Nothing leaves here that was not redacted, and
 * only whole lines can be: a secret may come in two chunks.
 */
export class StderrTail {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  readonly #redact: (line: string) => string;
  #lines: string[] = [];
  /** Where the remembered lines begin; what is before is dropped now and then, since `shift` moves a long array. */
  #first = 0;
  #length = 0;
  #open = '';
  #lastByteAt = 0;
  #isCut = false;

  constructor({ onLine, redact = (line) => line }: StderrTailOptions) {
    this.#onLine = onLine;
    this.#redact = redact;
  }

  /** When the last byte came, by `performance.now()`; 0 before the first. */
  get lastByteAt(): number {
    return this.#lastByteAt;
  }

  write(chunk: Buffer): void {
    this.#lastByteAt = performance.now();
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

  /** The remembered lines, oldest first. An unfinished last one is there without its last word, which may be half a secret. */
  lines(): readonly string[] {
    const lines = this.#lines.slice(this.#first);
    // Other white space may be dropped when the line is shown, so it ends no word.
    const words = this.#open.slice(0, maxLineLength).replace(/[^ \t]*$/, '');
    return this.#open === '' ? lines : [...lines, `${this.#redact(words)}…`];
  }

  #extend(piece: string): void {
    const room = maxLineLength + redactionMargin - this.#open.length;
    this.#open += piece.slice(0, Math.max(room, 0));
    this.#isCut ||= piece.length > room;
  }

  #finishLine(): void {
    const line = this.#wholeLine();
    this.#open = '';
    this.#isCut = false;
    this.#lines.push(line);
    this.#length += line.length + 1;
    this.#forget();
    this.#onLine(line);
  }

  #wholeLine(): string {
    const line = this.#redact(this.#open.replace(/\r$/, ''));
    // What is read beyond the cut is kept back even if redaction has made room for it: it may end in half a secret.
    const end = this.#isCut ? Math.min(line.length - redactionMargin, maxLineLength) : maxLineLength;
    return line.length > end ? `${line.slice(0, Math.max(end, 0))}…` : line;
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
