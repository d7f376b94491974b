import { type LaunchToConfirm, shownWord } from '@x/mcp-config-schema/consent';
import type { Io } from '../command.js';
import { stylesFor } from '../output/print.js';
import { wrapRows } from '../output/wrap-rows.js';

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
    `  ${bold(shownWord(server))} ${dim(`${shownWord(file)}:${line}`)}`,
    ...lines.flatMap((each) => wrapRows(each, { first: indent, next: continuation }, io)),
  ]);
  io.stderr.write(`${[head, ...texts, ''].join('\n')}\n`);
  const { isTTY = false, rows = 24 } = io.stderr;
  if (!isTTY || texts.length + rowsOfQuestion <= rows) return;
  io.stderr.write(
    `This does not fit on the screen: ${texts.length} rows. Scroll up, or read it with: mcpx trust 2>&1 | less\n\n`,
  );
}
