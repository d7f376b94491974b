import { stripVTControlCharacters } from 'node:util';
import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { table } from '../../src/output/table.js';

const { red, dim } = picocolors.createColors(true);

test('a column is as wide as its widest cell, and lines end with text', () => {
  expect(
    table(
      ['Server', 'State', 'Error'],
      [
        ['web', 'running', ''],
        ['filesystem', 'failed', 'gone'],
      ],
      {},
    ),
  ).toBe(['Server      State    Error', 'web         running', 'filesystem  failed   gone', ''].join('\n'));
});

test('colours do not count as width', () => {
  const coloured = table(
    ['a', 'b'],
    [
      [red('failed'), dim('x')],
      ['ok', 'y'],
    ],
    {},
  );
  expect(stripVTControlCharacters(coloured)).toBe(
    table(
      ['a', 'b'],
      [
        ['failed', 'x'],
        ['ok', 'y'],
      ],
      {},
    ),
  );
  expect(coloured).toContain(red('failed'));
});

test('wide characters take two columns, composed ones their visible width', () => {
  const lines = table(
    ['a', 'b'],
    [
      ['日本', '|'],
      ['👩‍👩‍👧', '|'],
      ['e\u0301', '|'],
      ['abcd', '|'],
    ],
    {},
  ).split('\n');
  expect(lines).toEqual(['a     b', '日本  |', '👩‍👩‍👧    |', 'e\u0301     |', 'abcd  |', '']);
});

test('a table without rows is its head', () => {
  expect(table(['Tool', 'Description'], [], {})).toBe('Tool  Description\n');
});

test('draws a great many rows', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [String(index)]);
  expect(table(['a'], rows, {}).split('\n')).toHaveLength(200_002);
});

test('a block has no line for a cell without a value, also in colours', () => {
  const block = table(['Server', 'Health', 'Last error'], [['web', dim('-'), red('')]], { isTTY: true, columns: 20 });
  expect(stripVTControlCharacters(block)).toBe('web\n');
});
