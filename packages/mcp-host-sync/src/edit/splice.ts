/** A half-open range of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Puts `text` in place of a range. Everything that no splice covers keeps its bytes. */
export interface Splice extends Span {
  readonly text: string;
}

/** Carries out splices that do not overlap; those at the same place keep their order. */
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
