import type { ConfigIssue } from '@x/mcp-config-schema';
import type { Io } from '../command.js';
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
    io.stderr.write(`${yellow('warning')} ${code} ${printable(`${file}:${line} ${message}`)}\n`);
  }
  if (report.written) {
    io.stdout.write(`${headline}\n`);
    if (report.daemon === 'reloaded') io.stdout.write('The running daemon has read it.\n');
    return;
  }
  io.stdout.write(report.diff === '' ? '' : diffText(report.diff, io));
  io.stderr.write(report.outcome === 'unchanged' ? 'Nothing to change.\n' : 'Nothing was written.\n');
}

/** A unified diff with colours. */
export function diffText(diff: string, io: Io): string {
  const { green, red } = stylesFor(io.stdout, io);
  const coloured = printable(diff)
    .split('\n')
    .map((line) => {
      if (/^\+(?!\+\+ )/.test(line)) return green(line);
      return /^-(?!-- )/.test(line) ? red(line) : line;
    });
  return `${coloured.join('\n')}\n`;
}
