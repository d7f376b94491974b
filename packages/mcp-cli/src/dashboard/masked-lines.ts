import { maskSecrets, type Redactor } from '@x/internal/secrets';

interface MaskedText {
  /** Without line ends, each secret as `***`. */
  readonly lines: readonly string[];
  /** Column in the masked line for one of the file. Both are counted from 1. */
  columnOf(line: number, column: number): number;
}

/** The lines of a text without secrets: those that the redactor knows, and those that look like one. */
export function maskedLines(text: string, redactor: Pick<Redactor, 'star'>): MaskedText {
  const written = text.startsWith('\uFEFF') ? text.slice(1) : text;
  // Neither changes the length, so each character has its place.
  const [shaped, known] = [maskSecrets(written), redactor.star(written)];
  const lines: string[] = [];
  const cuts: (readonly Cut[])[] = [];
  let start = 0;
  for (const line of written.split('\n')) {
    const end = start + line.length;
    const masked = maskedLine(line, [shaped.slice(start, end), known.slice(start, end)]);
    lines.push(masked.text);
    cuts.push(masked.cuts);
    start = end + 1;
  }
  return {
    lines,
    columnOf: (line, column) =>
      (cuts[line - 1] ?? []).reduce((shown, { at, less }) => (column > at + 1 ? shown - less : shown), column),
  };
}

/** A secret from the column `at`, counted from 0, is shown with that many characters less. */
interface Cut {
  readonly at: number;
  readonly less: number;
}

function maskedLine(line: string, starred: readonly string[]) {
  const cuts: Cut[] = [];
  let text = '';
  let at = 0;
  const isSecret = (index: number): boolean =>
    index < line.length && starred.some((each) => each[index] === '*' && line[index] !== '*');
  while (at < line.length) {
    let end = at;
    // Stars that the file has inside of a secret belong to it.
    while (isSecret(end) || (end > at && line[end] === '*')) end += 1;
    if (end === at) {
      text += line.charAt(at);
      at += 1;
      continue;
    }
    cuts.push({ at, less: end - at - stars.length });
    text += stars;
    at = end;
  }
  return { text: text.replace(/\r$/, ''), cuts };
}

const stars = '***';
