import type { Redactor } from '@x/internal/secrets';
import { maskSecrets } from '@x/internal/secrets';
import { printable } from '@x/internal/text';
import type { ConfigIssue } from './issues.js';

/** What `formatIssue` shows beside the line of the issue itself. */
export interface FormatIssueOptions {
  /** The text that the issue is about; with it, the lines around the place are shown. */
  readonly text?: string | undefined;
  /**
   * Hides the values that it knows, in the lines of the text too. That of `checkConfig` knows the variables used and
   * the secrets written into the text.
   */
  readonly redactor?: Redactor | undefined;
}

/**
 * An issue for a terminal or a log: `file:line:column severity code message`, the lines around it with a caret if the
 * text is given, and the hint. Plain text without colours; control characters of the source are never passed on.
 * In the lines, what looks like a secret or stands under the name of one is starred out, on whatever line that name is,
 * and what the redactor knows.
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
/** How much of a text is looked at before what is shown, for names of secrets whose values go on there. */
const contextLength = 8_000;

function codeFrame(text: string, { line, column }: ConfigIssue, redactor: Redactor | undefined): string[] {
  const gutter = String(line).length;
  // A long line is cut so that the caret stays in view; the lines above it are cut at the same column.
  const cut = column > widestLine ? column - widestLine / 2 : 0;

  const frame = linesOf(text, Math.max(1, line - linesBefore), line).map((shown) => {
    const marker = shown.line === line ? '>' : ' ';
    const visible = printable(visiblePart(text, shown, cut, redactor));
    return `${marker} ${String(shown.line).padStart(gutter)} | ${visible}`.trimEnd();
  });
  return [...frame, `  ${' '.repeat(gutter)} | ${' '.repeat(Math.max(0, column - 1 - cut))}^`];
}

/** What is shown of a line, with secrets starred out: those of known values, and those told by what stands around. */
function visiblePart(text: string, { start, end }: ShownLine, cut: number, redactor: Redactor | undefined): string {
  const from = Math.min(start + cut, end);
  const to = Math.min(from + widestLine, end);
  const context = Math.max(0, from - contextLength);
  const masked = maskSecrets(text.slice(context, to + 200)).slice(from - context, to - context);
  if (redactor === undefined) return masked;
  // Of the whole text: half of a secret would not be known as one.
  const starred = redactor.star(text).slice(from, to);
  return Array.from({ length: to - from }, (_, at) => (masked[at] === '*' ? '*' : starred[at])).join('');
}

interface ShownLine {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Lines `first` to `last`, read from the start so that a text of millions of lines is not split up for three. */
function linesOf(text: string, first: number, last: number): readonly ShownLine[] {
  const lines: ShownLine[] = [];
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let line = 1; line <= last; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (line >= first) lines.push({ line, start, end: text[end - 1] === '\r' ? Math.max(start, end - 1) : end });
    if (newline === -1) break;
    start = newline + 1;
  }
  return lines;
}
