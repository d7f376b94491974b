import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logFileName, StderrLog } from '../../../src/process/stderr/stderr-log.js';
import { temporaryDirectory } from '../../helpers/processes.js';

async function logIn(directory: string, server = 'git'): Promise<{ log: StderrLog; path: string; problems: string[] }> {
  const problems: string[] = [];
  const log = new StderrLog({ directory, server, onProblem: (message) => problems.push(message) });
  return { log, path: join(directory, logFileName(server)), problems };
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
}

describe('a log', () => {
  test('has one line for each, with its time, and only its user can read it', async () => {
    const directory = join(await temporaryDirectory(), 'logs');
    const { log, path, problems } = await logIn(directory);
    log.write('first');
    log.write('');
    await log.flush();
    log.write('third');
    await log.flush();
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;
    const lines = await linesOf(path);
    expect(lines.every((line) => time.test(line))).toBe(true);
    expect(lines.map((line) => line.replace(time, ''))).toEqual(['first', '', 'third']);
    expect(problems).toEqual([]);
    if (process.platform === 'win32') return;
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  test('holds no character that a terminal or an editor would act on', async () => {
    const { log, path } = await logIn(await temporaryDirectory());
    log.write('a\u0000b\u001b[2Jc\rd\te\u009bf\u2028g\u202eh\n2026-01-01 forged');
    await log.flush();
    const [line = '', ...others] = await linesOf(path);
    expect(line.slice(25)).toBe('a\\x00b\\x1b[2Jc\\x0dd\te\\x9bf\\u2028g\\u202eh\\x0a2026-01-01 forged');
    expect(others).toEqual([]);
  });

  test('is put aside at 5 MB, and three files are kept', async () => {
    const directory = await temporaryDirectory();
    const { log } = await logIn(directory);
    for (let batch = 0; batch < 120; batch += 1) {
      for (let line = 0; line < 50; line += 1) log.write(`${batch} ${'x'.repeat(4_000)}`);
      await log.flush();
    }
    const names = (await readdir(directory)).toSorted();
    expect(names).toEqual(['git.log', 'git.log.1', 'git.log.2']);
    for (const name of names) expect((await stat(join(directory, name))).size).toBeLessThan(6_500_000);
    const [oldest, newest] = [await linesOf(join(directory, 'git.log.2')), await linesOf(join(directory, 'git.log'))];
    expect(Number(oldest[0]?.split(' ')[1])).toBeLessThan(Number(newest[0]?.split(' ')[1]));
    expect(newest.at(-1)).toContain(' 119 xxx');
  });

  test('drops lines when the disk is slow, and reports how many', async () => {
    const { log, path } = await logIn(await temporaryDirectory());
    for (let line = 0; line < 2_000; line += 1) log.write('x'.repeat(4_000));
    await log.flush();
    const lines = await linesOf(path);
    const [, left] = /\[(\d+) lines dropped: the disk was too slow\]$/.exec(lines.at(-1) ?? '') ?? [];
    expect(lines.length - 1 + Number(left)).toBe(2_000);
    expect((await stat(path)).size).toBeLessThan(400_000);
  });

  test('reports a write failure once, and again only after a success', async () => {
    const directory = join(await temporaryDirectory(), 'file');
    await writeFile(directory, 'not a directory');
    const { log, problems } = await logIn(directory);
    for (let count = 0; count < 3; count += 1) {
      log.write('lost');
      await log.flush();
    }
    expect(problems).toEqual([expect.stringContaining('The log of server "git" cannot be written to')]);
  });

  test.skipIf(process.platform === 'win32')('follows no link, and closes a file that others could read', async () => {
    const directory = await temporaryDirectory();
    const elsewhere = join(directory, 'elsewhere');
    await writeFile(elsewhere, 'mine');
    const linked = await logIn(directory, 'linked');
    await symlink(elsewhere, linked.path);
    linked.log.write('line');
    await linked.log.flush();
    expect(linked.problems).toHaveLength(1);
    expect(await readFile(elsewhere, 'utf8')).toBe('mine');

    const open = await logIn(directory, 'open');
    await writeFile(open.path, 'before\n', { mode: 0o644 });
    await chmod(open.path, 0o644);
    open.log.write('line');
    await open.log.flush();
    expect((await stat(open.path)).mode & 0o777).toBe(0o600);
  });

  test('a directory in its place is a problem and nothing more', async () => {
    const directory = await temporaryDirectory();
    const { log, path, problems } = await logIn(directory);
    await mkdir(path);
    log.write('line');
    await log.flush();
    expect(problems).toHaveLength(1);
  });
});

describe('the name of a log file', () => {
  test('is the name of the server when that is plain', () => {
    expect(logFileName('git')).toBe('git.log');
    expect(logFileName('my_server-2')).toBe('my_server-2.log');
  });

  test.each([
    '../../etc/cron.d/x',
    'GitHub',
    'con',
    'a b',
    'ünïcode',
    '.hidden',
    '-rf',
    'x'.repeat(200),
    '\u0000',
    'a~b',
  ])('is safe and its own for %j', (server) => {
    expect(logFileName(server)).toMatch(/^[a-z0-9_-]{0,64}~[0-9a-f]{12}\.log$/);
  });

  test('differs for any two servers, in any file system', () => {
    const name = fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9._~-]{1,12}$/));
    fc.assert(
      fc.property(name, name, (one, other) => {
        fc.pre(one !== other);
        expect(logFileName(one).toLowerCase()).not.toBe(logFileName(other).toLowerCase());
        expect(logFileName(one)).toMatch(/^[a-z0-9_~-]+\.log$/);
      }),
    );
  });
});
