import { chmod, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DaemonState, parseState, readState, writeState } from '../../src/daemon/state-file.js';
import { ownIdentity } from '../../src/daemon/system-process.js';

const user = process.getuid?.();
let path: string;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpx-state-'));
  path = join(folder, 'state.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const state: DaemonState = {
  format: 1,
  version: '1.2.3',
  protocol: 2,
  parent: ownIdentity(),
  startedAt: 1,
  logFile: '/log',
  phase: { name: 'ready', worker: ownIdentity(), socket: '/socket', token: 'ab'.repeat(32) },
};

describe('the state file', () => {
  test('is read as written, is private to its user and leaves no draft', async () => {
    await writeState(path, { ...state, phase: { name: 'parked', reason: 'x' } });
    await writeState(path, state);
    expect(await readState(path, user)).toEqual(state);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test('that others can read or write is rejected', async () => {
    await writeState(path, state);
    await chmod(path, 0o644);
    expect(await readState(path, user)).toBeUndefined();
  });

  test('of another user is rejected', async () => {
    await writeState(path, state);
    expect(await readState(path, (user ?? 0) + 1)).toBeUndefined();
  });

  test('that is a link, a directory or missing is rejected', async () => {
    await writeState(join(folder, 'real'), state);
    await symlink(join(folder, 'real'), path);
    expect(await readState(path, user)).toBeUndefined();
    expect(await readState(folder, user)).toBeUndefined();
    expect(await readState(join(folder, 'none'), user)).toBeUndefined();
  });

  test('that is too large is rejected', async () => {
    await writeFile(path, JSON.stringify({ ...state, logFile: 'x'.repeat(100_000) }), { mode: 0o600 });
    expect(await readState(path, user)).toBeUndefined();
  });

  test.each([-5, 0, 1, 2.5, 1e300, '7', null])('naming %j as a process is refused', (pid) => {
    expect(parseState(JSON.stringify({ ...state, parent: { ...state.parent, pid } }))).toBeUndefined();
    const phase = { ...state.phase, worker: { ...state.parent, pid } };
    expect(parseState(JSON.stringify({ ...state, phase }))).toBeUndefined();
  });

  test('with a malformed token is rejected', () => {
    expect(parseState(JSON.stringify({ ...state, phase: { ...state.phase, token: '' } }))).toBeUndefined();
  });

  test('any text is a state or is rejected', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseState(text)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(state)), fc.jsonValue(), (key, value) => {
        const parsed = parseState(JSON.stringify({ ...state, [key]: value }));
        if (parsed) expect(parsed.parent.pid).toBeGreaterThanOrEqual(2);
      }),
    );
  });
});
