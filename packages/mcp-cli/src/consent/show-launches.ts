import { type LaunchToConfirm, shownWord } from '@x/mcp-config-schema/consent';
import stringWidth from 'fast-string-width';
import type { Io } from '../command.js';
import { stylesFor } from '../output/print.js';

type ShowIo = Pick<Io, 'stderr' | 'env'>;

const indent = '    ';
/** Prefix of continuation rows, so that no text of a config can imitate a row of this program. */
const continuation = `${indent}↪ `;
/** Narrower terminals wrap lines themselves. */
const fewestColumns = 30;
/** Rows of the question and the prompt. */
const rowsOfQuestion = 4;

export function showLaunches(launches: readonly LaunchToConfirm[], head: string, io: ShowIo): void {
  const { bold, dim } = stylesFor(io.stderr, io);
  const texts = launches.flatMap(({ server, file, line, lines }) => [
    '',
    `  ${bold(shownWord(server))} ${dim(`${shownWord(file)}:${line}`)}`,
    ...lines.flatMap((each) => rowsOf(each, io)),
  ]);
  io.stderr.write(`${[head, ...texts, ''].join('\n')}\n`);
  const { isTTY = false, rows = 24 } = io.stderr;
  if (!isTTY || texts.length + rowsOfQuestion <= rows) return;
  io.stderr.write(
    `This does not fit on the screen: ${texts.length} rows. Scroll up, or read it with: mcpx trust 2>&1 | less\n\n`,
  );
}

/** Wraps one line to the terminal's width. Other streams get it unchanged. */
function rowsOf(text: string, { stderr: { isTTY = false, columns = 80 } }: ShowIo): readonly string[] {
  if (!isTTY || columns < fewestColumns || indent.length + stringWidth(text) <= columns) return [`${indent}${text}`];
  const rows: string[] = [];
  let row = indent;
  let width = row.length;
  for (const character of text) {
    const more = stringWidth(character);
    if (width + more > columns) {
      rows.push(row);
      row = continuation;
      width = continuation.length;
    }
    row += character;
    width += more;
  }
  return [...rows, row];
}
