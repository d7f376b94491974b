import { maskSecrets } from './checks/mask-secrets.js';
import type { ConfigIssue } from './issues.js';
import { printable } from './printable.js';
import type { Redactor } from './secrets/redactor.js';

export interface FormatIssueOptions {
  /** The text that the issue is about; with it, the lines around the place are shown. */
  readonly text?: string | undefined;
  /** Hides the values that it knows, in the lines of the text too. That of `checkConfig` knows the variables used. */
  readonly redactor?: Redactor | undefined;
}

/**
 * An issue for a terminal or a log: `file:line:column severity code message`, the lines around it with a caret if the
 * text is given, and the hint. Plain text without colours; control characters of the source are never passed on.
 * In the lines, what looks like a secret or stands under the name of one is starred out, and what the redactor knows.
 */
export function formatIssue(issue: ConfigIssue, { text, redactor }: FormatIssueOptions = {}): string {
  const parts = [headline(issue)];
  if (text !== undefined) parts.push(...codeFrame(text, issue, redactor));
  if (issue.hint !== undefined) parts.push(`hint: ${printable(issue.hint)}`);
  const formatted = parts.join('\n');
  return redactor?.redact(formatted) ?? formatted;
}

/** The first line of a formatted issue. */
export function headline({ file, line, column, severity, code, message }: ConfigIssue): string {
  const place = file === undefined ? `${line}:${column}` : `${printable(file)}:${line}:${column}`;
  return `${place} ${severity} ${code} ${printable(message)}`;
}

const linesBefore = 2;
const widestLine = 120;

function codeFrame(text: string, { line, column }: ConfigIssue, redactor: Redactor | undefined): string[] {
  const first = Math.max(1, line - linesBefore);
  const shown = linesOf(text, first, line);
  const gutter = String(line).length;
  // A long line is cut so that the caret stays in view; the lines above it are cut at the same column.
  const cut = column > widestLine ? column - widestLine / 2 : 0;

  const frame = shown.map((content, index) => {
    const marker = first + index === line ? '>' : ' ';
    // Before anything is cut off: half of a secret would not be known as one.
    const safe = redactor?.star(content) ?? content;
    const visible = printable(maskedSlice(safe, cut, cut + widestLine));
    return `${marker} ${String(first + index).padStart(gutter)} | ${visible}`.trimEnd();
  });
  return [...frame, `  ${' '.repeat(gutter)} | ${' '.repeat(Math.max(0, column - 1 - cut))}^`];
}

/** A part of a line with secrets starred out; what stands around it says what is one. */
function maskedSlice(line: string, start: number, end: number): string {
  const before = Math.min(start, 200);
  return maskSecrets(line.slice(start - before, end + 200)).slice(before, before + end - start);
}

/** Lines `first` to `last`, read from the start so that a text of millions of lines is not split up for three. */
function linesOf(text: string, first: number, last: number): string[] {
  const lines: string[] = [];
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let line = 1; line <= last; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (line >= first) lines.push(text.slice(start, end).replace(/\r$/, ''));
    if (newline === -1) break;
    start = newline + 1;
  }
  return lines;
}
