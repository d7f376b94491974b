import { StringDecoder } from 'node:string_decoder';

const maxLineLength = 4_096;
/** Characters read beyond the cut, to recognise a secret across it. */
const redactionMargin = 4_096;
const maxTailLength = 64 * 1_024;

interface StderrTailOptions {
  readonly onLine: (line: string) => void;
  readonly redact?: ((line: string) => string) | undefined;
}

/**
 * Reads continuously, since a full pipe blocks the server. Keeps the last 64 KiB as lines. Redacts whole lines: a
 * secret may arrive in two chunks.
 */
export class StderrTail {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  readonly #redact: (line: string) => string;
  #lines: string[] = [];
  /** Index of the first stored line. `shift` would move a long array. */
  #first = 0;
  #length = 0;
  #open = '';
  #lastByteAt = 0;
  #isCut = false;

  constructor({ onLine, redact = (line) => line }: StderrTailOptions) {
    this.#onLine = onLine;
    this.#redact = redact;
  }

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

  end(): void {
    this.#extend(this.#decoder.end());
    if (this.#open !== '') this.#finishLine();
  }

  /** Oldest first. An unfinished last line lacks its last word, which may be a partial secret. */
  lines(): readonly string[] {
    const lines = this.#lines.slice(this.#first);
    // Other white space may vanish in display.
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
    // Characters beyond the cut stay hidden even if redaction made room: they may end in a partial secret.
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
