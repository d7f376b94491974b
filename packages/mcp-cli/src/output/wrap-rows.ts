import stringWidth from 'fast-string-width';
import type { Io } from '../command.js';

/** Narrower terminals wrap lines themselves. */
const fewestColumns = 30;

/**
 * Wraps one line to the terminal's width. Each row has a prefix, so that no text of others can imitate a row of this
 * program. Other streams get the line unchanged.
 *
 * @param prefixes - Of the first row and of all others. Default of `next`: `first`.
 */
export function wrapRows(
  text: string,
  { first, next = first }: { readonly first: string; readonly next?: string },
  { stderr: { isTTY = false, columns = 80 } }: Pick<Io, 'stderr'>,
): readonly string[] {
  if (!isTTY || columns < fewestColumns || first.length + stringWidth(text) <= columns) return [`${first}${text}`];
  const rows: string[] = [];
  let row = first;
  let width = row.length;
  for (const character of text) {
    const more = stringWidth(character);
    if (width + more > columns) {
      rows.push(row);
      row = next;
      width = next.length;
    }
    row += character;
    width += more;
  }
  return [...rows, row];
}
