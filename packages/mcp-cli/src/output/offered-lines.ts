import type { Io } from '../io.js';
import type { OfferedReport } from '../list-offered.js';
import { printable, printableLine } from './printable.js';
import { stylesFor } from './styles.js';

/** Prints a heading per server and a line per entry; notes about the lists go to stderr. */
export function printOffered<Entry>(
  { offered, notAsked }: OfferedReport<Entry>,
  {
    what,
    line,
    isNamed,
  }: {
    /** `resources` or `prompts`. */
    readonly what: string;
    readonly line: (entry: Entry) => { readonly name: string; readonly facts: string };
    readonly isNamed: boolean;
  },
  io: Io,
): void {
  const { bold, cyan, dim } = stylesFor(io.stdout, io);
  const room = Math.max((io.stdout.columns ?? 120) - 4, 40);
  for (const { server, items, cachedAt, problems } of offered) {
    if (items.length > 0 || isNamed) {
      const when = cachedAt === undefined ? '' : dim(` as listed at ${new Date(cachedAt).toISOString()}`);
      io.stdout.write(
        `${bold(printableLine(server, 60))}: ${items.length} ${items.length === 1 ? what.replace(/s$/, '') : what}${when}\n`,
      );
    }
    for (const item of items) {
      const { name, facts } = line(item);
      const rest = Math.max(room - name.length, 20);
      io.stdout.write(
        `  ${cyan(printableLine(name, 500))}${facts === '' ? '' : `  ${dim(printableLine(facts, rest))}`}\n`,
      );
    }
    for (const problem of problems) io.stderr.write(`warning: ${printableLine(server, 60)}: ${printable(problem)}\n`);
  }
  if (offered.every(({ items }) => items.length === 0) && !isNamed) io.stdout.write(`No ${what} are known.\n`);
  if (notAsked.length > 0) {
    const names = printableLine(notAsked.join(', '), 300);
    io.stderr.write(
      `The ${what} of these servers are unknown: ${names}. Add --refresh to list those of servers with auto_start.\n`,
    );
  }
}
