import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { expect, onTestFinished, test } from 'vitest';
import { removeLeftovers, replaceFile } from '../../src/files/replace-file.js';
import { resolveTarget } from '../../src/files/resolve-target.js';
import { isHostFileError } from '../../src/index.js';
import { temporaryMachine } from '../helpers/temporary-machine.js';

const before = '{ "kept": true }';

async function target(text = before) {
  const machine = await temporaryMachine();
  const path = await machine.file('home/settings.json', text);
  return { machine, path, target: await resolveTarget(path, { inside: machine.home, forWriting: true }) };
}

test.each([
  ['ENOSPC', 'no-space', 'the disk is full'],
  ['EDQUOT', 'no-space', 'a quota or size limit is reached'],
  ['EROFS', 'read-only', 'the file system is read-only'],
  ['EIO', 'write-failed', 'the system refused'],
])('a write that fails with %s is %s and leaves everything unchanged', async (system, code, says) => {
  const file = await target();
  const write = async (handle: { writeFile(bytes: Uint8Array): Promise<void> }, bytes: Uint8Array) => {
    await handle.writeFile(bytes.subarray(0, 5));
    throw Object.assign(new Error(system), { code: system });
  };
  const error = await replaceFile(file.target, Buffer.from('{ "new": true }'), {
    before: hexDigest(before),
    write,
  }).catch((cause: unknown) => cause);
  expect(isHostFileError(error) && error.code).toBe(code);
  expect(String(error)).toContain(`${file.path} cannot be written: ${says} (${system}). The file is unchanged`);
  expect(await readFile(file.path, 'utf8')).toBe(before);
  expect(await readdir(file.machine.home)).toEqual(['settings.json']);
});

test('a full disk leaves everything unchanged', async () => {
  const machine = await temporaryMachine();
  const home = join(machine.root, 'small');
  await mkdir(home);
  const isMounted = mountedSmall(home);
  const path = await machine.file('small/settings.json', before);
  const found = await resolveTarget(path, { inside: home, forWriting: true });
  const bytes = Buffer.alloc(1024 * 1024, ' ');
  const write = replaceFile(found, bytes, { before: hexDigest(before) });
  if (isMounted) {
    await expect(write).rejects.toMatchObject({ code: 'no-space', file: path });
    expect(await readFile(path, 'utf8')).toBe(before);
  } else {
    await write; // without a small disk, at least a large file is written completely
    expect(await readFile(path)).toEqual(bytes);
  }
  expect(await readdir(home)).toEqual(['settings.json']);
});

function mountedSmall(directory: string): boolean {
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return false; // only root can, and not everywhere
  }
  onTestFinished(() => void execFileSync('/bin/umount', [directory]));
  return true;
}

test('only leftovers of this file are removed', async () => {
  const machine = await temporaryMachine();
  const path = await machine.file('home/settings.json', before);
  await machine.file('home/.settings.json.0123456789abcdef.mcpx-tmp', '{');
  for (const name of [
    '.settings.json.mcpx-tmp',
    '.settings.json.x.mcpx-tmp',
    '.other.json.0123456789abcdef.mcpx-tmp',
  ]) {
    await machine.file(`home/${name}`, '');
  }
  await removeLeftovers(path);
  expect((await readdir(machine.home)).toSorted()).toEqual([
    '.other.json.0123456789abcdef.mcpx-tmp',
    '.settings.json.mcpx-tmp',
    '.settings.json.x.mcpx-tmp',
    'settings.json',
  ]);
});
