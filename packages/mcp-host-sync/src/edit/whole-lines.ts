import { deletion, insertion, type Splice } from './splice.js';
import { lineEndOf, nextLineStart, previousLineEnd } from './text-lines.js';

// A line is inserted with the line end before it and deleted with the line end before it: so a last line without a
// line end needs no rule of its own, and the two undo one another.

/** Puts whole lines behind the line that ends here. */
export function insertLines(text: string, lineEndsAt: number, lines: readonly string[]): Splice {
  const lineEnd = lineEndOf(text);
  return insertion(lineEndsAt, lines.map((line) => lineEnd + line).join(''));
}

/** Takes away whole lines, from the line of `start` to the line that ends at `end`. */
export function deleteLines(text: string, start: number, end: number): Splice {
  const before = previousLineEnd(text, start);
  return before === undefined ? deletion(0, nextLineStart(text, end)) : deletion(before, end);
}
