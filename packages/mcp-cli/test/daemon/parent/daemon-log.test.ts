import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDaemonLog } from '../../../src/daemon/parent/daemon-log.js';
import { readLog } from '../../../src/daemon/read-log.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpx-log-'));
  path = join(folder, 'logs', 'daemon.log');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the daemon log', () => {
  test('writes one line per entry with its time, readable for its user only', async () => {
    const log = openDaemonLog(path);
    log.write('one');
    log.write('two \u001b[31mred\u001b[0m');
    await log.flush();
    expect(await readFile(path, 'utf8')).toMatch(/^\d{4}-\S+Z one\n\d{4}-\S+Z two red\n$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('rotates at its size limit and keeps two files', async () => {
    const log = openDaemonLog(path, { maxBytes: 1_000 });
    for (let line = 0; line < 100; line += 1) {
      log.write(`line ${line} ${'x'.repeat(50)}`);
      await log.flush();
    }
    const names = await readdir(join(folder, 'logs'));
    expect(names.toSorted()).toEqual(['daemon.log', 'daemon.log.1']);
    for (const name of names) expect((await stat(join(folder, 'logs', name))).size).toBeLessThan(1_200);
    expect(await readFile(`${path}.1`, 'utf8')).toContain('line ');
  });

  test('recreates a removed file', async () => {
    const log = openDaemonLog(path);
    log.write('one');
    await log.flush();
    await rm(join(folder, 'logs'), { recursive: true });
    log.write('two');
    await log.flush();
    expect(await readFile(path, 'utf8')).toMatch(/Z two\n$/);
  });

  test('survives failed writes and reports the number of lost lines later', async () => {
    await mkdir(path, { recursive: true }); // a directory in its place fails as a full disk does
    const log = openDaemonLog(path);
    log.write('one');
    log.write('two');
    await log.flush();
    await rm(path, { recursive: true });
    log.write('three');
    await log.flush();
    expect(await readFile(path, 'utf8')).toMatch(/Z \[2 lines could not be written\]\n\S+Z three\n$/);
  });

  test('does not follow a link to another file', async () => {
    await mkdir(join(folder, 'logs'));
    await symlink(join(folder, 'victim'), path);
    const log = openDaemonLog(path);
    log.write('one');
    await log.flush();
    expect(await readdir(folder)).toEqual(['logs']);
  });

  test('is read from its end and followed across a rotation', async () => {
    const log = openDaemonLog(path, { maxBytes: 200 });
    log.write('first');
    await log.flush();
    const stop = new AbortController();
    const seen: string[] = [];
    const lines = ['second '.repeat(30), 'third'];
    for await (const text of readLog(path, { follow: true, signal: stop.signal })) {
      seen.push(text);
      const next = lines.shift();
      if (next === undefined) break;
      log.write(next);
      await log.flush();
      if (next !== 'third') log.write('after'); // in the new file
      await log.flush();
    }
    expect(seen.join('')).toMatch(/first\n.*(after|third)\n/s);
  });

  test('reads as empty when it is missing', async () => {
    const seen: string[] = [];
    for await (const text of readLog(path, {})) seen.push(text);
    expect(seen).toEqual([]);
  });
});
