import type { ConfigIssue } from '@x/mcp-config-schema';
import type { Io } from '../command.js';
import { fit, prefixedRows, printNote } from '../output/fit.js';
import { printable, stylesFor } from '../output/print.js';
import type { ChangeReport } from './change-config.js';

interface ShownChange {
  readonly headline: string;
  readonly warnings: readonly ConfigIssue[];
}

/** Prints a change, or with a dry run its diff. */
export function printChange(report: ChangeReport, { headline, warnings }: ShownChange, io: Io): void {
  const { yellow } = stylesFor(io.stderr, io);
  for (const { code, message, file, line } of warnings) {
    printNote(`${yellow('warning')} ${code} ${printable(`${file}:${line} ${message}`)}`, io);
  }
  if (report.written) {
    io.stdout.write(fit(`${headline}\n`, io.stdout));
    if (report.daemon === 'reloaded') io.stdout.write('The running daemon has read it.\n');
    return;
  }
  io.stdout.write(report.diff === '' ? '' : diffText(report.diff, io));
  printNote(report.outcome === 'unchanged' ? 'Nothing to change.' : 'Nothing was written.', io);
}

/** A unified diff with colours. Rows that continue a line begin with its sign. */
export function diffText(diff: string, io: Io): string {
  const { green, red } = stylesFor(io.stdout, io);
  const lines = printable(diff).replace(/\n$/, '').split('\n');
  const rows = lines.flatMap((line) => {
    const [sign = ''] = /^(?:\+(?!\+\+ )|-(?!-- ))/.exec(line) ?? [];
    const colour = sign === '+' ? green : sign === '-' ? red : (text: string) => text;
    return prefixedRows(line, { first: '', next: `${sign || ' '}   ↪ ` }, io.stdout).map(colour);
  });
  return `${rows.join('\n')}\n`;
}
