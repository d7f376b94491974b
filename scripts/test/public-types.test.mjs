import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { root } from '../root.mjs';

test('public types contain no any', () => {
  const reports = globSync('packages/*/api/*.api.md', { cwd: root });
  expect(reports.length).toBeGreaterThan(10);
  const found = reports.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => /[:<|&(,=] *any\b/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
