import { chmod, chown, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { describe, expect, test } from 'vitest';
import { replaceFile } from '../../src/files/replace-file.js';
import { resolveTarget } from '../../src/files/resolve-target.js';
import { type HostServer, isHostFileError, syncHosts } from '../../src/index.js';
import { syncElsewhere } from '../helpers/run-program.js';
import { temporaryMachine, textOf } from '../helpers/temporary-machine.js';

const isRoot = process.getuid?.() === 0;
const other = { uid: 61_234, gid: 62_345 };
const nobody = { uid: 65_534, gid: 65_534 };
const theirs = '{ "mcpServers": {} }';
const server: HostServer = { name: 'ours', transport: 'stdio', command: 'uvx' };

test('keeps the owner, group and mode of a file, or does not write it', async () => {
  const machine = await temporaryMachine();
  const path = await machine.file('home/settings.json', theirs);
  // Only root can change the owner; other users get mocked stats.
  if (isRoot) await chown(path, other.uid, other.gid);
  await chmod(path, 0o4640);
  const target = await resolveTarget(path, { inside: machine.home, forWriting: true });
  const stats = Object.assign(await stat(path), other);
  const written = await replaceFile({ ...target, stats }, Buffer.from('{}'), { before: hexDigest(theirs) }).then(
    () => 'written',
    (error: unknown) => isHostFileError(error) && error.code,
  );
  expect(written).toBe(isRoot ? 'written' : 'foreign-owner');
  expect(await textOf(path)).toBe(isRoot ? '{}' : theirs);
  const { uid, gid, mode } = await stat(path);
  expect(mode & 0o7777).toBe(0o4640);
  expect(isRoot ? { uid, gid } : uid).toEqual(isRoot ? other : process.getuid?.());
  expect(await readdir(machine.home)).toEqual(['settings.json']);
});

test('keeps the group and mode of a file behind a link, for every user', async () => {
  const machine = await temporaryMachine();
  const file = await machine.file('home/dotfiles/cursor.json', theirs);
  await mkdir(join(machine.home, '.cursor'));
  await symlink('../dotfiles/cursor.json', join(machine.home, '.cursor/mcp.json'));
  const { uid, gid } = await stat(file);
  const group = isRoot ? other.gid : (process.getgroups?.().find((id) => id !== gid) ?? gid); // a group that the user may set
  await chown(file, uid, group);
  await chmod(file, 0o660);
  await syncHosts([server], { ...machine.options, hosts: ['cursor-user'] });
  expect(await textOf(file)).toContain('"ours"');
  const after = await stat(file);
  expect({ uid: after.uid, gid: after.gid, mode: after.mode & 0o7777 }).toEqual({ uid, gid: group, mode: 0o660 });
});

describe('only root writes to a file of another user', () => {
  test('even if its directory is writable', async () => {
    if (!isRoot) {
      // System files exist everywhere and only root may change them.
      const rules = { inside: '/etc', forWriting: true };
      await expect(resolveTarget('/etc/passwd', rules)).rejects.toMatchObject({ code: 'foreign-owner' });
      return;
    }
    const machine = await temporaryMachine({ for: 'everybody' });
    const file = await machine.file('home/.cursor/mcp.json', theirs, 0o666);
    await chmod(file, 0o666);
    await mkdir(machine.stateDirectory);
    for (const path of [machine.root, machine.home, join(machine.home, '.cursor'), machine.stateDirectory]) {
      await chown(path, nobody.uid, nobody.gid);
    }
    await chown(file, other.uid, other.gid);
    const before = await stat(file);
    const { home, stateDirectory } = machine;
    const order = { home, stateDirectory, servers: [server], hosts: ['cursor-user'], as: nobody };
    const report = await syncElsewhere(order);
    expect(report).toEqual({ steps: 0, signal: null });
    expect(await textOf(file)).toBe(theirs);
    expect(await stat(file)).toMatchObject({ ...other, ino: before.ino, mtimeMs: before.mtimeMs });
    expect(await readdir(join(machine.home, '.cursor'))).toEqual(['mcp.json']);
  });

  test('but may read it', async () => {
    const target = await resolveTarget('/etc/passwd', { inside: '/etc', forWriting: false });
    expect(target.stats?.uid).toBe(0);
  });
});
