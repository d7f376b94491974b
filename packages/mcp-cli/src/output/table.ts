import stringWidth from 'fast-string-width';

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
