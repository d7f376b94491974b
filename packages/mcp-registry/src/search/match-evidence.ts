import type { Postings } from './postings.js';
import type { Sought } from './sought-words.js';

/** Matches of a few tools. Rows are tools, columns are concepts. */
export interface MatchEvidence {
  readonly columns: number;
  /** 0 without a match. */
  readonly likeness: Float32Array;
  readonly fields: Uint8Array;
}

/** Reads the best tools again, because storing all matches would cost more. */
export class EvidenceReader {
  /** Row + 1 by tool; 0 for other tools. */
  #rows = new Int32Array(0);

  read(window: Int32Array, sought: readonly Sought[], postings: Postings, places: number): MatchEvidence {
    if (this.#rows.length < places) this.#rows = new Int32Array(places + (places >> 2));
    const columns = sought.length;
    const likeness = new Float32Array(window.length * columns);
    const fields = new Uint8Array(window.length * columns);
    for (const [row, place] of window.entries()) this.#rows[place] = row + 1;
    for (const [column, { words }] of sought.entries()) {
      for (const word of words) {
        this.#readWord(word.word, word.likeness, column - columns, columns, likeness, fields, postings);
      }
    }
    for (const place of window) this.#rows[place] = 0;
    return { columns, likeness, fields };
  }

  #readWord(
    word: number,
    factor: number,
    shift: number,
    columns: number,
    likeness: Float32Array,
    fields: Uint8Array,
    postings: Postings,
  ): void {
    const rows = this.#rows;
    const places = postings.places;
    const start = postings.startOf(word);
    const end = start + postings.lengthOf(word);
    for (let at = start; at < end; at++) {
      const row = rows[places[at] ?? 0] ?? 0;
      if (row === 0) continue;
      const cell = row * columns + shift;
      if (factor > (likeness[cell] ?? 0)) likeness[cell] = factor;
      fields[cell] = (fields[cell] ?? 0) | (postings.fields[at] ?? 0);
    }
  }
}
