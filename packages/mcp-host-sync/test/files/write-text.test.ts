import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readKeys, textDiff, writeText } from '../../src/edit.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-text-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('creates, changes and deletes a file, and leaves nothing else', async () => {
  const file = join(folder, 'new', 'a.yaml');
  expect(await writeText({ file, before: undefined, after: 'a' }, { mode: 0o640 })).toBe('created');
  expect((await stat(file)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o640);
  expect(await writeText({ file, before: 'a', after: 'b' })).toBe('changed');
  expect(await writeText({ file, before: 'b', after: 'b' })).toBe('unchanged');
  expect(await readFile(file, 'utf8')).toBe('b');
  expect((await stat(file)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o640);
  expect(await writeText({ file, before: 'b', after: undefined })).toBe('deleted');
  expect(await readdir(join(folder, 'new'))).toEqual([]);
});

test.each([
  ['another text', 'x'],
  ['no file', undefined],
])('refuses to write when it expects %s', async (_case, before) => {
  const file = join(folder, 'a.yaml');
  await writeFile(file, 'theirs');
  await expect(writeText({ file, before, after: 'mine' })).rejects.toMatchObject({ code: 'changed-since-plan' });
  expect(await readFile(file, 'utf8')).toBe('theirs');
});

test('writes through a link', async () => {
  await writeFile(join(folder, 'real.yaml'), 'a');
  await symlink('real.yaml', join(folder, 'link.yaml'));
  await writeText({ file: join(folder, 'link.yaml'), before: 'a', after: 'b' });
  expect(await readFile(join(folder, 'real.yaml'), 'utf8')).toBe('b');
});

test('of 8 concurrent writers of one text, one wins', async () => {
  const file = join(folder, 'a.yaml');
  await writeFile(file, 'a');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => writeText({ file, before: 'a', after: `b${index}` })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await readFile(file, 'utf8')).toMatch(/^b\d$/);
});

test('a difference shows no secret', () => {
  const before = 'env:\n  API_TOKEN: SENTINEL-5f1c9a7e2b\n';
  const diff = textDiff('a.yaml', { before, after: `${before}  MODE: fast\n` });
  expect(diff).toContain('+  MODE: fast');
  expect(diff).not.toContain('SENTINEL');
  expect(textDiff('a.yaml', { before: undefined, after: 'a' })).toMatch(/^--- \/dev\/null\n\+\+\+ a\.yaml\n/);
});

test.each([
  ['yaml', 'a: 1\n# x\nb: [c]\n'],
  ['jsonc', '\uFEFF{ "a": 1, /* x */ "b": {}, }'],
  ['toml', 'a = 1\n[b]\n'],
] as const)('reads the top-level keys of %s', (dialect, text) => {
  expect(readKeys(text, dialect)).toEqual(['a', 'b']);
  expect(readKeys('', dialect)).toEqual([]);
});
