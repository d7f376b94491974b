import { lineEndOf, nextLineStart, previousLineEnd } from './text-lines.js';

/** Half-open range of a text, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Replaces a range by `text`. */
export interface Splice extends Span {
  readonly text: string;
}

/** Applies splices, which must not overlap. Splices at the same position keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, text: replacement } of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < position || end < start) throw new RangeError(`The splice ${start}–${end} overlaps another one`);
    parts.push(text.slice(position, start), replacement);
    position = end;
  }
  parts.push(text.slice(position));
  return parts.join('');
}

export const insertion = (at: number, text: string): Splice => ({ start: at, end: at, text });
export const deletion = (start: number, end: number): Splice => ({ start, end, text: '' });

// Insertions and deletions include the line end before the line, so that a last line without a line end is no special
// case.

/** Inserts whole lines after the line that ends at `lineEndsAt`. */
export function insertLines(text: string, lineEndsAt: number, lines: readonly string[]): Splice {
  const lineEnd = lineEndOf(text);
  return insertion(lineEndsAt, lines.map((line) => lineEnd + line).join(''));
}

/** Deletes whole lines, from the line of `start` to the line that ends at `end`. */
export function deleteLines(text: string, start: number, end: number): Splice {
  const before = previousLineEnd(text, start);
  return before === undefined ? deletion(0, nextLineStart(text, end)) : deletion(before, end);
}
