import stringWidth from 'fast-string-width';
import type { Io } from '../command.js';
import { printableLine, stylesFor } from './print.js';

/** A table without rules whose columns fit their cells. A cell is one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => cells.map((text) => ({ text, width: stringWidth(text) })));
  const widths = head.map((_, column) => lines.reduce((most, cells) => Math.max(most, cells[column]?.width ?? 0), 0));
  const drawn = lines.map((cells) =>
    cells.map(({ text, width }, column) => text + ' '.repeat((widths[column] ?? width) - width + gap)).join(''),
  );
  return drawn.map((line) => `${line.trimEnd()}\n`).join('');
}

const gap = 2;

interface NamedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** A line per tool with its name and the beginning of its description, as wide as the terminal. */
export function toolLines(tools: readonly NamedTool[], io: Io): string {
  const { cyan, dim } = stylesFor(io.stdout, io);
  const nameWidth = Math.max(4, ...tools.map(({ name }) => name.length));
  const room = Math.max((io.stdout.columns ?? 120) - nameWidth - 4, 40);
  return table(
    [dim('Tool'), dim('Description')],
    tools.map(({ name, title, description }) => [
      cyan(printableLine(name, 200)),
      printableLine(description ?? title ?? '', room),
    ]),
  );
}
