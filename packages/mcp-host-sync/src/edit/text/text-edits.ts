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

/** Line end of the first line; LF if there is none. */
export function lineEndOf(text: string): string {
  const newline = text.indexOf('\n');
  return newline > 0 && text[newline - 1] === '\r' ? '\r\n' : '\n';
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** End of the line, before its line end. */
export function lineContentEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  if (newline === -1) return text.length;
  return newline > offset && text[newline - 1] === '\r' ? newline - 1 : newline;
}

/** Offset of the next line; the length of the text on the last line. */
export function nextLineStart(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  return newline === -1 ? text.length : newline + 1;
}

/** End of the previous line, before its line end; `undefined` on the first line. */
export function previousLineEnd(text: string, offset: number): number | undefined {
  const start = lineStart(text, offset);
  if (start === 0) return undefined;
  return start > 1 && text[start - 2] === '\r' ? start - 2 : start - 1;
}

export function indentAt(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return /^[ \t]*/.exec(text.slice(start, lineContentEnd(text, start)))?.[0] ?? '';
}

/** True if only white space precedes the offset on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  let start = offset;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return start === 0 || text[start - 1] === '\n';
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Indentation step: `inner` minus `outer`, else that of the first indented line, else two spaces. */
export function indentUnit(text: string, outer?: string, inner?: string): string {
  const step = outer !== undefined && inner?.startsWith(outer) ? inner.slice(outer.length) : '';
  if (step !== '' && step.length <= 8) return step;
  const first = /^([ \t]+)[^\s*]/m.exec(text)?.[1] ?? '';
  if (first.startsWith('\t')) return '\t';
  return first !== '' && first.length <= 8 ? first : '  ';
}
