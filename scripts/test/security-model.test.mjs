import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../root.mjs';

const page = readFileSync(join(root, 'docs', 'security-model.md'), 'utf8');

/** The rows of each table whose last column is about tests: `[promise, cell of tests]`. */
function promisesIn(markdown) {
  return markdown.split(/\n{2,}/).flatMap((block) => {
    const rows = block.split('\n').filter((line) => line.startsWith('|'));
    const cells = rows.map((row) => row.split(/(?<!\\)\|/).slice(1, -1));
    if (!/^ *(?:Shown by|Test) *$/.test(cells[0]?.at(-1) ?? '')) return [];
    return cells.slice(2).map((row) => [row[0].trim(), row.at(-1)]);
  });
}

const promises = promisesIn(page);

/** In backquotes; as everywhere on the page, below `packages/`, or in a folder of the repository. */
function testsIn(cell) {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, path]) => path);
}

test('the security model is a table of many promises', () => {
  expect(promises.length).toBeGreaterThan(40);
});

describe('the security model names a test for', () => {
  test.each(promises)('%s', (_promise, cell) => {
    const tests = testsIn(cell);
    expect(tests).not.toEqual([]);
    expect(tests.filter((path) => !existsSync(join(root, 'packages', path)) && !existsSync(join(root, path)))).toEqual(
      [],
    );
    for (const path of tests) expect(path).toMatch(/(?:^|\/)test\/|^bench\//);
  });
});
