import type { Io } from '../io.js';
import { printableLine } from './printable.js';
import { stylesFor } from './styles.js';
import { table } from './table.js';

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
