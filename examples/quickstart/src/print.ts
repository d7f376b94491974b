const { NO_COLOR, FORCE_COLOR } = process.env;

/** @see https://no-color.org */
export const isColoured = !NO_COLOR && (Boolean(FORCE_COLOR) || process.stdout.isTTY === true);

export function heading(step: number, text: string): void {
  line(`\n${coloured('1;36', `${step}. ${text}`)}`);
}

export function ok(text: string): void {
  line(`  ${coloured('32', '✓')} ${text}`);
}

export function fact(name: string, text: string, { width = 12 }: { width?: number } = {}): void {
  line(`    ${name.padEnd(width)} ${dim(cut(text, 100 - width))}`);
}

export function dim(text: string): string {
  return coloured('2', text);
}

export function line(text: string): void {
  process.stdout.write(`${text}\n`);
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

function coloured(code: string, text: string): string {
  return isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
}
