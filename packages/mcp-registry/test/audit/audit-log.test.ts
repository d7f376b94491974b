import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditLine } from '../../src/node.js';
import { type AuditLog, type AuditLogOptions, createAuditLog } from '../../src/node.js';
import { createRegistry } from '../../src/registry.js';

const isWindows = process.platform === 'win32';

/** Windows has no modes of files and folders, and every user may write. */
const modes = isWindows ? { file: 0o666, folder: 0o666 } : { file: 0o600, folder: 0o700 };

const event = (name: string) => ({ time: 'now', action: 'describe', name, decision: 'unknown' }) as const;
const linesOf = (text: string): AuditLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const namesIn = async (file: string) =>
  linesOf(await readFile(file, 'utf8')).map((line) => ('name' in line ? line.name : `dropped ${JSON.stringify(line)}`));

let folder: string;
let path: string;
const open: AuditLog[] = [];
function openLog(options: Partial<AuditLogOptions> = {}): AuditLog {
  const log = createAuditLog({ path, ...options });
  open.push(log);
  return log;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  path = join(folder, 'logs', 'audit.jsonl');
});
afterEach(async () => {
  await Promise.allSettled(open.splice(0).map((log) => log.close()));
  await rm(folder, { recursive: true, force: true });
});

test('a registry writes its decisions, one line per event, to a private file', async () => {
  const log = openLog();
  const registry = createRegistry({ roles: [{ role: 'review', allowedTools: ['note'] }], audit: log.record });
  registry.register({ name: 'note', description: 'Takes a note' }, () => 'noted');
  const review = registry.view({ role: 'review', principal: 'alice' });
  await review.call('note', { text: 'hunter2' });
  await review.call('other').catch(() => undefined);
  await log.close();

  const text = await readFile(path, 'utf8');
  expect(linesOf(text)).toMatchObject([
    { action: 'call', call: 1, role: 'review', principal: 'alice', tool: 'note', outcome: 'started' },
    { action: 'call', call: 1, tool: 'note', outcome: 'ok', durationMs: expect.any(Number) },
    { action: 'call', call: 2, name: 'other', decision: 'unknown' },
  ]);
  expect(text).not.toContain('hunter2');
  expect((await stat(path)).mode & 0o777).toBe(modes.file);
  expect((await stat(join(folder, 'logs'))).mode & 0o777).toBe(modes.folder);
});

test('appends to an existing file, and removes read access of other users', async () => {
  path = join(folder, 'audit.jsonl');
  await writeFile(path, '{"name":"before"}\n');
  await chmod(path, 0o644);
  const log = openLog();
  log.record(event('a'));
  await log.flush();
  expect(await namesIn(path)).toEqual(['before', 'a']);
  expect((await stat(path)).mode & 0o777).toBe(modes.file);
});

test('starts a new line after an unfinished line of another process', async () => {
  path = join(folder, 'audit.jsonl');
  await writeFile(path, '{"name":"before"}\n{"name":"unfin');
  const log = openLog();
  for (const name of ['a', 'b']) {
    log.record(event(name));
    await log.flush();
  }
  const lines = (await readFile(path, 'utf8')).split('\n');
  expect(lines.slice(0, 2)).toEqual(['{"name":"before"}', '{"name":"unfin']);
  expect(linesOf(lines.slice(2).join('\n'))).toMatchObject([{ name: 'a' }, { name: 'b' }]);
});

test('opens no file before the first event', async () => {
  const log = openLog();
  await log.flush();
  await log.close();
  expect(await readdir(folder)).toEqual([]);
});

describe('closing', () => {
  test('writes queued events, and a second call joins the first', async () => {
    const log = openLog();
    for (let n = 0; n < 1_000; n++) log.record(event(`n${n}`));
    await Promise.all([log.close(), log.close(), log[Symbol.asyncDispose]()]);
    expect(await namesIn(path)).toHaveLength(1_000);
    expect(() => log.record(event('late'))).toThrow(expect.objectContaining({ code: 'closed' }));
    await log.flush();
  });

  test.skipIf(isWindows)('rejects when queued events are lost', async () => {
    path = '/dev/full';
    const log = openLog();
    log.record(event('a'));
    await expect(log.close()).rejects.toMatchObject({ code: 'audit-log-failed', cause: { code: 'ENOSPC' } });
    expect(log.status).toMatchObject({ queued: 0, dropped: 1 });
  });
});

describe('a file that cannot be written', () => {
  test.skipIf(isWindows)('because of a full disk queues lines, is reported once and shown in the status', async () => {
    const errors: unknown[] = [];
    path = '/dev/full';
    const log = openLog({ maxQueued: 2, onError: (error) => errors.push(error) });
    for (const name of ['a', 'b', 'c']) log.record(event(name));
    await expect(log.flush()).rejects.toMatchObject({ code: 'audit-log-failed', cause: { code: 'ENOSPC' } });
    await expect(log.flush()).rejects.toThrow(/^The audit log \/dev\/full cannot be written: .*ENOSPC/);
    expect(errors).toHaveLength(1);
    expect(log.status).toMatchObject({ written: 0, dropped: 1, failure: { code: 'audit-log-failed' } });
  });

  test('because a file has the path of its folder is written after the repair', async () => {
    await writeFile(join(folder, 'logs'), '');
    const log = openLog();
    log.record(event('a'));
    await expect(log.flush()).rejects.toMatchObject({ code: 'audit-log-failed' });
    log.record(event('b'));
    await rm(join(folder, 'logs'));
    await log.flush();
    expect(await namesIn(path)).toEqual(['a', 'b']);
  });

  test('because it is a symbolic link stays unchanged', async () => {
    const target = join(folder, 'elsewhere');
    path = join(folder, 'audit.jsonl');
    await symlink(target, path);
    const log = openLog();
    log.record(event('a'));
    await expect(log.flush()).rejects.toThrow(/it is a symbolic link; give the path of the file itself/);
    expect(await readdir(folder)).toEqual(['audit.jsonl']);
  });

  test('because it has become a symbolic link stays unchanged too', async () => {
    path = join(folder, 'audit.jsonl');
    const log = openLog();
    log.record(event('a'));
    await log.flush();
    await rename(path, join(folder, 'elsewhere'));
    await symlink(join(folder, 'elsewhere'), path);
    log.record(event('b'));
    await expect(log.flush()).rejects.toThrow(/symbolic link/);
    expect(await namesIn(join(folder, 'elsewhere'))).toEqual(['a']);
  });

  test.skipIf(isWindows)('because it is a folder or a pipe fails without waiting', async () => {
    path = folder;
    const log = openLog();
    log.record(event('a'));
    await expect(log.flush()).rejects.toMatchObject({ cause: { code: 'EISDIR' } });

    path = join(folder, 'pipe');
    await promisify(execFile)('mkfifo', [path]);
    const piped = openLog();
    piped.record(event('a'));
    await expect(piped.flush()).rejects.toMatchObject({ code: 'audit-log-failed' });
  });
});

describe('a file that is removed', () => {
  test.skipIf(isWindows)('is created again, with its folder', async () => {
    const log = openLog();
    log.record(event('a'));
    await log.flush();
    await rm(join(folder, 'logs'), { recursive: true });
    log.record(event('b'));
    await log.flush();
    expect(await namesIn(path)).toEqual(['b']);
  });

  test('by a program that rotates logs stays with that program', async () => {
    const log = openLog();
    log.record(event('a'));
    await log.flush();
    await rename(path, `${path}.old`);
    log.record(event('b'));
    await log.flush();
    expect(await namesIn(`${path}.old`)).toEqual(['a']);
    expect(await namesIn(path)).toEqual(['b']);
  });
});

test('a file that gets too large is rotated, and the oldest rotated files are removed', async () => {
  const log = openLog({ maxBytes: 200, maxFiles: 2 });
  await writeFile(join(folder, 'unrelated'), '');
  for (let n = 0; n < 20; n++) {
    log.record(event(`n${String(n).padStart(2, '0')}`));
    await log.flush();
  }
  const files = (await readdir(join(folder, 'logs'))).sort();
  expect(files).toHaveLength(3);
  const [current, older, newer] = files.map((name) => join(folder, 'logs', name));
  const kept = (await Promise.all([older, newer, current].map((file) => namesIn(file ?? '')))).flat();
  const all = Array.from({ length: 20 }, (_, n) => `n${String(n).padStart(2, '0')}`);
  expect(kept).toEqual(all.slice(-kept.length));
  for (const file of [current, older, newer]) {
    const { size, mode } = await stat(file ?? '');
    expect([size <= 200, mode & 0o777]).toEqual([true, modes.file]);
  }
});

test('several processes write one file, even during rotation, without lost or torn lines', async () => {
  const fixture = fileURLToPath(new URL('../fixtures/append-audit.ts', import.meta.url));
  const run = (name: string) =>
    promisify(execFile)(process.execPath, ['--import', 'tsx', fixture, path, name, '300', '4000']);
  await Promise.all(['a', 'b', 'c'].map(run));
  const files = await readdir(join(folder, 'logs'));
  expect(files.length).toBeGreaterThan(3);
  const found = (await Promise.all(files.map((file) => namesIn(join(folder, 'logs', file))))).flat();
  const all = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 300 }, (_, n) => `${name}-${n}`));
  expect(found.toSorted()).toEqual(all.toSorted());
});

test.each([
  [{ path: '' }, 'path must be a text that is not empty, got string'],
  [{ path: 5 }, 'path must be a text that is not empty, got number'],
  [{ maxBytes: 0 }, 'maxBytes must be a whole number from 1 on, got 0'],
  [{ maxFiles: 1.5 }, 'maxFiles must be a whole number from 1 on, got 1.5'],
  [{ maxQueued: Number.NaN }, 'maxQueued must be a whole number from 1 on, got NaN'],
  [{ onError: true }, 'onError must be a function, got boolean'],
])('%j is refused', (options, message) => {
  expect(() => createAuditLog({ path, ...options } as never)).toThrow(new TypeError(message));
});
