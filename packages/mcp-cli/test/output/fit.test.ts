import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'fast-string-width';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { fit, prefixedRows } from '../../src/output/fit.js';
import { table } from '../../src/output/table.js';

const { red, dim } = picocolors.createColors(true);
const terminal = (columns: number) => ({ isTTY: true, columns });
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => stringWidth(line)));

describe('lines', () => {
  test('break at blanks, with more indentation than their line', () => {
    expect(fit('  the files of the project\nok\n', terminal(20))).toBe('  the files of the\n    project\nok\n');
  });

  test('keep the space between words that stay in one row', () => {
    expect(fit('✓ path        PATH has 11 directories\n', terminal(30))).toBe(
      '✓ path        PATH has 11\n  directories\n',
    );
  });

  test('keep their colours, which take no space', () => {
    const text = `${red('error')} ${dim('/home/ann/a/very/long/path')} is gone\n`;
    const fitting = fit(text, terminal(20));
    expect(fitting.split('\n').slice(0, -1)).toEqual([red('error'), expect.anything(), expect.anything()]);
    expect(stripVTControlCharacters(fitting).replace(/\s/g, '')).toBe('error/home/ann/a/very/long/pathisgone');
    expect(fitting).toContain('\u001b[2m');
  });

  test.each([{}, { columns: 40 }, { isTTY: true }, terminal(0), terminal(19)])('are whole for %j', (stream) => {
    const text = `${'word '.repeat(30)}\n`;
    expect(fit(text, stream)).toBe(text);
  });

  test('fit any terminal, and lose nothing but blanks', () => {
    const line = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '日', '\u001b[31m', '\u001b[39m', 'e\u0301'),
      maxLength: 200,
    });
    fc.assert(
      fc.property(line, fc.integer({ min: 20, max: 60 }), (text, columns) => {
        const fitting = fit(text, terminal(columns));
        expect(widest(fitting)).toBeLessThanOrEqual(columns);
        expect(fitting.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
    );
  });
});

describe('foreign lines', () => {
  test('have the prefix in each row of a terminal, and lose no blank', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '日', '\u0301', '|'), maxLength: 200 });
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 60 }), (line, columns) => {
        const rows = prefixedRows(line, { first: '  | ', next: '  ↪ ' }, terminal(columns));
        expect(widest(rows.join('\n'))).toBeLessThanOrEqual(columns);
        expect(rows.map((row) => row.slice(4)).join('')).toBe(line);
        expect(rows.map((row) => row.slice(0, 4))).toEqual(rows.map((_, at) => (at === 0 ? '  | ' : '  ↪ ')));
      }),
    );
  });

  test('are one row elsewhere', () => {
    expect(prefixedRows('x'.repeat(200), { first: '  | ' }, {})).toEqual([`  | ${'x'.repeat(200)}`]);
  });
});

describe('a table that is wider than its terminal', () => {
  const head = ['Server', 'State', 'Tools', 'Last error'];
  const rows = [
    ['files', '● running', '14', ''],
    ['web', '✗ failed', '-', 'the command was not found: uvx in /srv/app'],
  ];

  test('is a block for each row, without what has no value', () => {
    expect(table(head, rows, terminal(40))).toBe(
      [
        'files',
        '  State       ● running',
        '  Tools       14',
        'web',
        '  State       ✗ failed',
        '  Last error  the command was not found:',
        '              uvx in /srv/app',
        '',
      ].join('\n'),
    );
  });

  test('is a table where it fits, and in a pipe', () => {
    const lines = table(head, rows, {}).split('\n');
    expect(lines[0]).toBe('Server  State      Tools  Last error');
    expect(table(head, rows, terminal(100)).split('\n')).toEqual(lines);
    expect(table(head, rows, { columns: 40 }).split('\n')).toEqual(lines);
  });

  test('needs no titles with two columns', () => {
    const text = table(
      ['Tool', 'Description'],
      [['mcp__files__read_text_file', 'Reads a text file of the project']],
      terminal(40),
    );
    expect(text).toBe('mcp__files__read_text_file\n  Reads a text file of the project\n');
  });

  test('breaks a name that is longer than a row', () => {
    const text = table(['Tool', 'Note'], [['x'.repeat(50), 'y']], terminal(40));
    expect(text).toBe(`${'x'.repeat(40)}\n  ${'x'.repeat(10)}\n  y\n`);
  });
});
