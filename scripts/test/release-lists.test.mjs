import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileList } from '../release/file-list.mjs';
import { comparePinned } from '../release/pinned-file.mjs';

let folder;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'release-lists-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a list of files leaves out the bundler's hashes, and nothing that only looks like one", async () => {
  const files = [
    'dist/chunk-ABCD1234.js',
    'dist/chunk-EFGH5678.js',
    'dist/view-Bj_pou-H.d.ts',
    'dist/view-keys-CnEa0sQQ.d-Dq8LW_13.d.ts',
    'dist/mcp-identity.d.ts',
    'dist/dashboard/index-a1B2c3D4.css',
    'dist/dashboard/THIRD-PARTY-LICENSES.md',
    'dist/THIRD-PARTY-LICENSES.txt',
  ];
  for (const file of files) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  const manifest = { exports: { '.': { types: './dist/mcp-identity.d.ts' } } };
  expect((await fileList(folder, manifest)).trim().split('\n')).toEqual([
    'dist/THIRD-PARTY-LICENSES.txt',
    'dist/chunk-[hash].js',
    'dist/dashboard/THIRD-PARTY-LICENSES.md',
    'dist/dashboard/index-[hash].css',
    'dist/mcp-identity.d.ts',
    'dist/view-[hash].d.ts',
    'dist/view-keys-[hash].d-[hash].d.ts',
  ]);
});

test('what came and went is told with the declaration that it belongs to', async () => {
  const file = join(folder, 'index.api.md');
  await comparePinned(file, 'interface A {\n    name: string;\n}\ninterface B {\n}\n', { write: true });
  await expect(comparePinned(file, 'interface A {\n}\ninterface B {\n    name: string;\n}\n')).rejects.toThrow(
    '- interface A { … name: string;\n+ interface B { … name: string;',
  );
  await comparePinned(file, 'interface A {}\n', { write: true });
  expect(await readFile(file, 'utf8')).toBe('interface A {}\n');
});
