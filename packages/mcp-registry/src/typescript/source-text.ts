import { escapeHidden, startOf, toWireText } from '@x/internal/text';

const MAX_COMMENT = 2_000;

/** JSON text is a literal type of TypeScript as it stands. */
export function literalType(value: unknown): string {
  return toWireText(value ?? null);
}

/** A member's name; quoted unless it is an identifier. An unquoted `new` would declare a constructor. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'new' ? name : toWireText(name);
}

export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

/** Foreign text for a doc comment: cut, its tags shown as text. */
export function foreignText(text: string): string {
  const shown = text.length > MAX_COMMENT ? `${startOf(text, MAX_COMMENT)}…` : text;
  return shown.replace(/(?<!\w)@/g, '\\@');
}

/** A doc comment that its text cannot leave, or nothing for no text. */
export function docComment(text: string, tags: readonly string[] = []): string {
  const lines = text.trim() === '' ? [] : foreignText(text.trim()).split(/\r\n|[\n\r]/);
  const shown = [...lines, ...tags]
    .map((line) => escapeHidden(line.replaceAll('\t', '  ').trimEnd()).replaceAll('*/', '*\\/'))
    .map((line) => (line.endsWith('*') ? `${line} ` : line));
  if (shown.length === 0) return '';
  if (shown.length === 1) return `/** ${shown[0]} */\n`;
  return `/**\n${shown.map((line) => (line === '' ? ' *\n' : ` * ${line}\n`)).join('')} */\n`;
}
