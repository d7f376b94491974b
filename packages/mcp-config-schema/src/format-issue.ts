import { optionTable } from '@x/internal/options';
import { maskSecrets, type Redactor } from '@x/internal/secrets';
import { printable } from '@x/internal/text';
import type { ConfigIssue } from './issues.js';

/** Options of `formatIssue`. */
export interface FormatIssueOptions {
  /** Shows the lines around the position. */
  readonly text?: string | undefined;
  /**
   * Redacts values, also in the lines of the text. The redactor of `checkConfig` knows used variables and literal
   * secrets.
   */
  readonly redactor?: Redactor | undefined;
}

const formatOptions = optionTable<FormatIssueOptions>()({
  text: { kind: 'other', check: (text) => (typeof text === 'string' ? undefined : 'the text of the file') },
  redactor: { kind: 'object' },
});

/**
 * Formats an issue for a terminal or a log: `file:line:column severity code message`, the lines around it with a caret,
 * and the hint. Masks known values, and in the lines values that look secret. Contains no control characters.
 */
export function formatIssue(issue: ConfigIssue, options?: FormatIssueOptions): string {
  const { text, redactor } = formatOptions.read(options);
  const parts = [headline(issue)];
  if (text !== undefined) parts.push(...codeFrame(text, issue, redactor));
  if (issue.hint !== undefined) parts.push(`hint: ${printable(issue.hint)}`);
  const formatted = parts.join('\n');
  return redactor?.redact(formatted) ?? formatted;
}

export function headline({ file, line, column, severity, code, message }: ConfigIssue): string {
  const place = file === undefined ? `${line}:${column}` : `${printable(file)}:${line}:${column}`;
  return `${place} ${severity} ${code} ${printable(message)}`;
}

const linesBefore = 2;
const widestLine = 120;
/** Characters before the shown lines that are searched for secret names. */
const contextLength = 8_000;

function codeFrame(text: string, { line, column }: ConfigIssue, redactor: Redactor | undefined): string[] {
  const gutter = String(line).length;
  // The lines above are cut at the same column.
  const cut = column > widestLine ? column - widestLine / 2 : 0;

  const frame = linesOf(text, Math.max(1, line - linesBefore), line).map((shown) => {
    const marker = shown.line === line ? '>' : ' ';
    const visible = printable(visiblePart(text, shown, cut, redactor));
    return `${marker} ${String(shown.line).padStart(gutter)} | ${visible}`.trimEnd();
  });
  return [...frame, `  ${' '.repeat(gutter)} | ${' '.repeat(Math.max(0, column - 1 - cut))}^`];
}

/** Masks known values and values of secret names. */
function visiblePart(text: string, { start, end }: ShownLine, cut: number, redactor: Redactor | undefined): string {
  const from = Math.min(start + cut, end);
  const to = Math.min(from + widestLine, end);
  const context = Math.max(0, from - contextLength);
  const masked = maskSecrets(text.slice(context, to + 200)).slice(from - context, to - context);
  if (redactor === undefined) return masked;
  // Uses the whole text, because part of a secret is not recognized.
  const starred = redactor.star(text).slice(from, to);
  return Array.from({ length: to - from }, (_, at) => (masked[at] === '*' ? '*' : starred[at])).join('');
}

interface ShownLine {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Reads from the start, to avoid splitting a text of millions of lines. */
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
