import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  makePrivateDirectory,
  needsDirectory,
  requirePrivateDirectory,
  untrustedDirectoryHint,
} from '../../src/daemon/private-directory.js';

const user = process.getuid?.();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpx-private-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const refused = (fault: string) =>
  expect.objectContaining({ code: 'unsafe-directory', message: expect.stringContaining(fault) });

describe('a private directory', () => {
  test('is created with mode 0700, and an existing one gets that mode', async () => {
    const path = join(folder, 'run');
    await makePrivateDirectory(path, user);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await chmod(path, 0o755);
    await makePrivateDirectory(path, user);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  test('may be missing', async () => {
    expect(await requirePrivateDirectory(join(folder, 'none'), user)).toBe(false);
    expect(await requirePrivateDirectory(join(folder, 'none', 'deeper'), user)).toBe(false);
  });

  test.each([0o777, 0o770, 0o702])('with mode %o is refused, and stays as it is', async (mode) => {
    const path = join(folder, 'run');
    await mkdir(path);
    await chmod(path, mode);
    await expect(makePrivateDirectory(path, user)).rejects.toEqual(refused('written to by other users'));
    expect((await stat(path)).mode & 0o777).toBe(mode);
  });

  test('of another user is refused', async () => {
    const path = join(folder, 'run');
    await mkdir(path, { mode: 0o700 });
    await expect(makePrivateDirectory(path, (user ?? 0) + 1)).rejects.toEqual(refused('belongs to another user'));
  });

  test('that is a link is refused', async () => {
    const path = join(folder, 'run');
    await mkdir(join(folder, 'elsewhere'), { mode: 0o700 });
    await symlink(join(folder, 'elsewhere'), path);
    await expect(makePrivateDirectory(path, user)).rejects.toEqual(refused('is a symbolic link'));
  });

  test('below a directory that everybody can write to is refused, unless that has the sticky bit', async () => {
    const open = join(folder, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    await expect(makePrivateDirectory(join(open, 'run'), user)).rejects.toEqual(refused('every user can replace it'));
    await chmod(open, 0o1777);
    await makePrivateDirectory(join(open, 'run'), user);
  });

  test('that cannot be created is reported with a remedy', async () => {
    await writeFile(join(folder, 'file'), '');
    const path = join(folder, 'file', 'run');
    await expect(makePrivateDirectory(path, user)).rejects.toMatchObject({
      code: 'daemon-start-failed',
      message: expect.stringMatching(/^The daemon could not start: (ENOTDIR|EEXIST)/),
      hint: expect.stringContaining(`It stores its files in ${path}. Make that directory writable`),
    });
  });

  test('that cannot be checked is refused', async () => {
    const path = join(folder, 'x'.repeat(1_000));
    await expect(requirePrivateDirectory(path, user)).rejects.toEqual(refused('cannot be checked (ENAMETOOLONG)'));
  });

  test('that is a file is refused', async () => {
    const path = join(folder, 'run');
    await writeFile(path, '');
    await expect(requirePrivateDirectory(path, user)).rejects.toEqual(refused('is not a directory'));
  });
});

test('advice on Windows names what exists there', () => {
  expect(untrustedDirectoryHint('win32')).toBe('Remove it, or set LOCALAPPDATA to another one.');
  expect(needsDirectory('C:\\state', 'win32')).toContain('or set LOCALAPPDATA to a writable one');
  expect(untrustedDirectoryHint('linux')).toContain('make it private with chown and chmod 700, or set XDG_RUNTIME_DIR');
});
