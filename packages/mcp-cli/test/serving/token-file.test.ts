import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPrivateFile } from '../../src/serving/private-file.js';
import { checkToken, loadOrCreateToken, readTokenFile } from '../../src/serving/token-file.js';
import { project } from '../helpers/project.js';

const isPosix = process.platform !== 'win32';

test('a token is created once per config, in a file that only its owner can read', async () => {
  await using here = await project({});
  const first = await loadOrCreateToken(here.folder, ['/a/mcp_servers.yaml']);
  expect(first.isNew).toBe(true);
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(await loadOrCreateToken(here.folder, ['/a/mcp_servers.yaml'])).toEqual({ ...first, isNew: false });
  expect((await loadOrCreateToken(here.folder, ['/b/mcp_servers.yaml'])).token).not.toBe(first.token);
  expect(await readFile(first.file, 'utf8')).toBe(`${first.token}\n`);
  if (!isPosix) return;
  expect((await stat(first.file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(here.folder, 'gateway-tokens'))).mode & 0o777).toBe(0o700);
});

test('concurrent processes create one token and all use it', async () => {
  await using here = await project({});
  const all = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateToken(here.folder, ['/a'])));
  expect(new Set(all.map(({ token }) => token)).size).toBe(1);
  expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(await readdir(join(here.folder, 'gateway-tokens'))).toHaveLength(1);
});

test('a directory that cannot store a token is reported with a remedy', async () => {
  await using here = await project({ file: '' });
  await expect(loadOrCreateToken(join(here.folder, 'file'), ['/a'])).rejects.toMatchObject({
    message: expect.stringMatching(/^A token cannot be stored in .*\.token: (ENOTDIR|EEXIST)\.$/),
    hint: expect.stringContaining('--token-file'),
  });
});

test.runIf(isPosix)('a file that others can read is refused with the command that makes it private', async () => {
  await using here = await project({ token: '0123456789abcdef\n' });
  const file = join(here.folder, 'token');
  for (const mode of [0o640, 0o604, 0o602, 0o620]) {
    await chmod(file, mode);
    await expect(readTokenFile(file)).rejects.toMatchObject({ hint: `Run: chmod 600 ${file}` });
  }
  await chmod(file, 0o600);
  expect(await readTokenFile(file)).toBe('0123456789abcdef');
});

test.runIf(isPosix)('a stored token file that others can read is refused', async () => {
  await using here = await project({});
  const { file } = await loadOrCreateToken(here.folder, ['/a']);
  await chmod(file, 0o644);
  await expect(loadOrCreateToken(here.folder, ['/a'])).rejects.toThrow('mode 644');
  await rm(file);
  expect((await loadOrCreateToken(here.folder, ['/a'])).isNew).toBe(true);
});

test.runIf(isPosix)('a file of another user is refused in any mode', async () => {
  await using here = await project({});
  const { file } = await loadOrCreateToken(here.folder, ['/a']);
  const { uid } = await stat(file);
  const read = (userId: number) => readPrivateFile(file, { what: 'The token file', maxBytes: 100, userId });
  await expect(read(uid + 1)).rejects.toMatchObject({
    message: `The token file ${file} belongs to another user (${uid}).`,
    hint: expect.stringContaining(`chown ${uid + 1} ${file}`),
  });
  expect(await read(uid)).toHaveLength(44);
});

test.runIf(isPosix)('a file may be a link, as on container platforms', async () => {
  await using here = await project({});
  await writeFile(join(here.folder, 'real'), '0123456789abcdef', { mode: 0o600 });
  await symlink(join(here.folder, 'real'), join(here.folder, 'link'));
  expect(await readTokenFile(join(here.folder, 'link'))).toBe('0123456789abcdef');
});

test('a missing file, a folder, a long file and one without a token have their own messages', async () => {
  await using here = await project({});
  const write = async (text: string) => {
    await writeFile(join(here.folder, 'token'), text, { mode: 0o600 });
    return readTokenFile(join(here.folder, 'token'));
  };
  await expect(readTokenFile(join(here.folder, 'missing'))).rejects.toThrow('does not exist');
  await expect(readTokenFile(here.folder)).rejects.toThrow(/is not a file|cannot be opened/);
  await expect(write('x'.repeat(5_000))).rejects.toThrow('longer than');
  for (const text of ['', 'short', 'with a space in it ', 'two\nlines-of-text-here']) {
    await expect(write(text)).rejects.toThrow('must contain a token');
  }
});

test('messages about a token do not contain the token', () => {
  expect(() => checkToken('päßwort-of-16-characters', 'MCPX_TOKEN')).toThrow(
    /^MCPX_TOKEN must contain a token of [^ß]*$/,
  );
});
