/**
 * Untrusted text for a terminal: without escape sequences, control characters and invisible characters that reorder or
 * hide text. Line ends and tabs stay. Redaction ignores all of these, so removing them cannot reassemble a secret.
 */
export function printable(text: string): string {
  return text.replace(sequence, '').replace(invisible, '');
}

/** The same on one line, cut to `maxLength` characters. */
export function printableLine(text: string, maxLength: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

// Controls except tab and newline; format characters (zero-width, bidirectional, tags); two line separators.
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
