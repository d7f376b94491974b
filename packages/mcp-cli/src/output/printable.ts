/**
 * Text of a server or a file as it may be shown in a terminal: without escape sequences, control characters, and the
 * invisible characters that reorder or hide text. Line ends and tabs stay. A redactor's readings drop all of these, too,
 * so that no secret appears here that was cut by them before.
 */
export function printable(text: string): string {
  return text.replace(sequence, '').replace(invisible, '');
}

/** The same on one line, cut to `maxLength` characters. */
export function printableLine(text: string, maxLength: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

// Controls but tab and newline; format characters: zero-width, bidirectional, tags; the two odd line separators.
const invisible = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
// ECMA-48: a control sequence, a control string up to its end, any other escape sequence.
const sequence = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);
