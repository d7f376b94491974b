import type { LaunchToConfirm } from '@x/mcp-config-schema/consent';
import { expect, test } from 'vitest';
import { pagedTrust, showLaunches } from '../../src/consent/show-launches.js';

const launch = (...lines: readonly string[]): LaunchToConfirm => ({
  ...{ server: 'docs', isRemote: false, directory: '/clone', file: '/clone/.mcp.json', line: 3, digest: 'x', lines },
});

function shown(
  launches: readonly LaunchToConfirm[],
  terminal?: { readonly columns: number; readonly rows: number },
): string {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const stderr = { write, ...(terminal && { isTTY: true, ...terminal }) };
  showLaunches(launches, 'This would run:', { stderr, env: { NO_COLOR: '1' } });
  return text;
}

const long = `runs     node ${'x'.repeat(200)} -e evil`;

test('a pager and a file get each line whole', () => {
  expect(shown([launch(long, 'in       /clone')])).toBe(
    `This would run:\n\n  docs /clone/.mcp.json:3\n    ${long}\n    in       /clone\n\n`,
  );
});

test('wraps long lines with a prefix that no text of a config can imitate', () => {
  const text = shown([launch(long)], { columns: 60, rows: 50 });
  const [first = '', ...more] = text.split('\n').slice(3, -2);
  expect([first, ...more].every((row) => row.length <= 60)).toBe(true);
  expect(more.length).toBeGreaterThan(2);
  expect(more.every((row) => row.startsWith('    ↪ '))).toBe(true);
  expect(first.slice(4) + more.map((row) => row.slice(6)).join('')).toBe(long);
});

test('a terminal with fewer than 20 columns wraps by itself', () => {
  expect(shown([launch(long)], { columns: 19, rows: 50 })).toContain(`\n    ${long}\n`);
  expect(shown([launch(long)], { columns: 20, rows: 50 })).not.toContain(long);
});

test('wide characters count with their width', () => {
  const rows = shown([launch(`runs     ${'字'.repeat(60)}`)], { columns: 40, rows: 50 })
    .split('\n')
    .slice(3, -2);
  expect(rows.map((row) => [...row].filter((character) => character === '字').length)).toEqual([13, 17, 17, 13]);
});

test('a name and a path with blanks are quoted', () => {
  const odd = { ...launch('runs     x'), server: 'a b', file: '/my clone/.mcp.json' };
  expect(shown([odd])).toContain('\n  "a b" "/my clone/.mcp.json":3\n');
});

test('output longer than the screen ends with a note', () => {
  const hint = `rows. Scroll up, or read it with: ${pagedTrust()}`;
  const noteOf = (...given: Parameters<typeof shown>) => shown(...given).replaceAll(/\s+/g, ' ');
  const many = launch(...Array.from({ length: 30 }, (_, index) => `env      A${index}=1`));
  expect(noteOf([many], { columns: 100, rows: 24 })).toContain(`does not fit on the screen: 32 ${hint}`);
  expect(noteOf([many], { columns: 100, rows: 35 })).toContain(hint);
  expect(noteOf([many], { columns: 100, rows: 36 })).not.toContain(hint);
  expect(noteOf([many])).not.toContain(hint);
});

test.each([
  ['linux', 'mcpx trust 2>&1 | less'],
  ['darwin', 'mcpx trust 2>&1 | less'],
  ['win32', 'cmd /c "mcpx trust 2>&1 | more"'],
])('on %s, a long question is read with a program of the system', (platform, line) => {
  expect(pagedTrust(platform)).toBe(line);
});
