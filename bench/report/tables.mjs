/**
 * The Markdown tables in what a script printed. The line above a table is its title.
 *
 * @returns {{ title: string, columns: string[], rows: string[][] }[]}
 */
export function readTables(text) {
  const tables = [];
  let title = '';
  let current;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('|')) {
      const cells = cellsOf(line);
      if (current === undefined) {
        current = { title, columns: cells, rows: [] };
        tables.push(current);
      } else if (!cells.every((cell) => /^:?-+:?$/.test(cell))) {
        current.rows.push(cells);
      }
    } else if (line !== '') {
      current = undefined;
      title = line.replace(/:$/, '');
    } else if (current !== undefined) {
      current = undefined;
      title = '';
    }
  }
  return tables;
}

/** A `|` inside a cell is written `\|`. */
function cellsOf(line) {
  return line
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

/**
 * The rows of one table, each with the cell of one column.
 *
 * @param place.title - Of the table; without it the first one.
 * @param place.column - Its head.
 * @param place.rows - What stands in the first cell, or a list of what the first cells hold; without it every row.
 * @returns {{ label: string, cell: string }[]} Empty when the table, the column or a row is not there.
 */
export function cellsAt(tables, { title, column, rows }) {
  const table = title === undefined ? tables[0] : tables.find((each) => each.title === title);
  const at = table?.columns.indexOf(column) ?? -1;
  if (at === -1) return [];
  const found = rows === undefined ? table.rows : rows.map((row) => rowOf(table, [row].flat()));
  if (found.includes(undefined)) return [];
  return found.map((row) => ({ label: row[0], cell: row[at] ?? '' }));
}

/**
 * One row of a table whose contenders are columns, each cell with the head of its column. Columns of ratios are left out.
 *
 * @returns {{ label: string, cell: string }[]} Empty when the table or the row is not there.
 */
export function cellsOfRow(tables, { title, row }) {
  const table = title === undefined ? tables[0] : tables.find((each) => each.title === title);
  const cells = table === undefined ? undefined : rowOf(table, [row]);
  if (cells === undefined) return [];
  const contenders = table.columns.map((label, at) => ({ label, cell: cells[at] ?? '' })).slice(1);
  return contenders.filter(({ label }) => !label.startsWith('ratio'));
}

function rowOf(table, start) {
  return table.rows.find((row) => start.every((cell, at) => row[at] === cell));
}

/** What a cell says as a number: `1,243`, `0.57 (0.43 – 0.62)`, `0.007 %`; 1 for `yes` and `19/19`, less where less is so. */
export function numberIn(cell) {
  if (/^yes\b/i.test(cell)) return 1;
  if (/^no\b/i.test(cell)) return 0;
  const part = /^(\d+)\/(\d+)$/.exec(cell);
  if (part !== null) return Number(part[1]) / Number(part[2]);
  const number = /^-?[\d,]+(\.\d+)?/.exec(cell);
  return number === null ? Number.NaN : Number(number[0].replaceAll(',', ''));
}
