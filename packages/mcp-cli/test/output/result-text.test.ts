import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ContentBlock } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { saveContent } from '../../src/output/result-text.js';
import { project } from '../helpers/project.js';

const image = (text: string, mimeType = 'image/png') => ({
  type: 'image' as const,
  data: Buffer.from(text).toString('base64'),
  mimeType,
});

test('writes binary data, not text, to files with safe names', async () => {
  await using here = await project({});
  const blob = { uri: 'file:///../../etc/passwd', mimeType: 'application/pdf', blob: image('pdf').data };
  const blocks: ContentBlock[] = [
    { type: 'text', text: 'no file' },
    image('one'),
    { type: 'audio', data: image('two').data, mimeType: 'audio/mpeg; rate=1' },
    { type: 'resource', resource: blob },
    { type: 'resource', resource: { uri: 'a:b', text: 'no file' } },
    image('four', '../../../x'),
    image('five', ''),
  ];
  const saved = await saveContent(blocks, { name: '--mcp__a/../b', directory: 'out' }, { cwd: here.folder });
  expect([...saved.values()].map((file) => basename(file))).toEqual([
    'mcp__a-b-1.png',
    'mcp__a-b-1.mp3',
    'mcp__a-b-1.pdf',
    'mcp__a-b-1.bin',
    'mcp__a-b-2.bin',
  ]);
  const [, first] = blocks;
  expect(await readFile(saved.get(first as ContentBlock) ?? '', 'utf8')).toBe('one');
  expect(await readdir(here.folder)).toEqual(['out']);
});

test('never replaces existing files or links', async () => {
  await using here = await project({ 'shot-1.png': 'mine' });
  await writeFile(join(here.folder, 'target'), 'mine, too');
  await symlink('target', join(here.folder, 'shot-2.png'));
  const block = image('new');
  const saved = await saveContent([block], { name: 'shot', directory: '.' }, { cwd: here.folder });
  expect(saved.get(block)).toBe(join(here.folder, 'shot-3.png'));
  expect(await readFile(join(here.folder, 'shot-1.png'), 'utf8')).toBe('mine');
  expect(await readFile(join(here.folder, 'target'), 'utf8')).toBe('mine, too');
});

test('uses a new private directory by default', async () => {
  const block = image('new');
  const saved = await saveContent([block], { name: 'shot' }, { cwd: '/' });
  const folder = dirname(saved.get(block) ?? '');
  if (process.platform !== 'win32') expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await using _folder = {
    [Symbol.asyncDispose]: async () => (await import('node:fs/promises')).rm(folder, { recursive: true }),
  };
});

test('a failed write reports that the tool has run', async () => {
  await using here = await project({ taken: 'a file' });
  await expect(
    saveContent([image('x')], { name: 'x', directory: 'taken' }, { cwd: here.folder }),
  ).rejects.toMatchObject({
    exitCode: 1,
    hint: expect.stringContaining('The tool has run'),
  });
});
