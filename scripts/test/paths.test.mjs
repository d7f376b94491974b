import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { root } from '../root.mjs';

test('no program takes the pathname of a file URL as a path, which fails below a folder with a blank in its name', () => {
  const files = globSync(['packages/**/*.{ts,tsx,mjs}', '{bench,docs,examples,scripts}/**/*.{ts,mjs}', '*.ts'], {
    cwd: root,
    ignore: ['**/node_modules/**', '**/dist/**'],
  });
  const wrong = files.filter((file) => /import\.meta\.url\)\.pathname/.test(readFileSync(join(root, file), 'utf8')));
  expect(files.length).toBeGreaterThan(1_000);
  expect(wrong).toEqual([]);
});
