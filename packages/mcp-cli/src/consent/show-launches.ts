import { platform as systemPlatform } from 'node:os';
import { type LaunchToConfirm, shownWord } from '@x/mcp-config-schema/consent';
import type { Io } from '../command.js';
import { fit, prefixedRows } from '../output/fit.js';
import { stylesFor } from '../output/print.js';

type ShowIo = Pick<Io, 'stderr' | 'env'>;

const indent = '    ';
/** Prefix of continuation rows, so that no text of a config can imitate a row of this program. */
const continuation = `${indent}↪ `;
/** Rows of the question and the prompt. */
const rowsOfQuestion = 4;

export function showLaunches(launches: readonly LaunchToConfirm[], head: string, io: ShowIo): void {
  const { bold, dim } = stylesFor(io.stderr, io);
  const texts = launches.flatMap(({ server, file, line, lines }) => [
    '',
    ...fit(`  ${bold(shownWord(server))} ${dim(`${shownWord(file)}:${line}`)}`, io.stderr).split('\n'),
    ...launchRows(lines, io),
  ]);
  io.stderr.write(`${[fit(head, io.stderr), ...texts, ''].join('\n')}\n`);
  const { isTTY = false, rows = 24 } = io.stderr;
  if (!isTTY || texts.length + rowsOfQuestion <= rows) return;
  const note = `This does not fit on the screen: ${texts.length} rows. Scroll up, or read it with: ${pagedTrust()}\n\n`;
  io.stderr.write(fit(note, io.stderr));
}

/** The command line that shows the question of `mcpx trust` page by page. */
export function pagedTrust(platform: string = systemPlatform()): string {
  // Windows PowerShell reports each line of stderr as an error once it is redirected.
  return platform === 'win32' ? 'cmd /c "mcpx trust 2>&1 | more"' : 'mcpx trust 2>&1 | less';
}

/** Rows for what a server runs, in which no text of a config can imitate another row. */
export function launchRows(lines: readonly string[], { stderr }: Pick<Io, 'stderr'>): readonly string[] {
  return lines.flatMap((line) => prefixedRows(line, { first: indent, next: continuation }, stderr));
}
