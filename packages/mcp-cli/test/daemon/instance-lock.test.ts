import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acquireLock, type LockOutcome, lockHolder } from '../../src/daemon/instance-lock.js';
import { identify, isAlive, ownIdentity, type ProcessIdentity, sendSignal } from '../../src/daemon/system-process.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpx-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const someone = (pid: number): ProcessIdentity => ({ pid, startTime: '1', table: 'test' });

describe('the lock of a daemon', () => {
  test('is held until it is released', async () => {
    const self = ownIdentity();
    const first = await acquireLock(folder, self);
    expect(await acquireLock(folder, self)).toEqual({ status: 'held', by: self });
    expect(await lockHolder(folder)).toEqual(self);
    if (first.status === 'ours') await first.release();
    expect(await lockHolder(folder)).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  test('of a dead process is acquired, for any content of its file', async () => {
    await writeFile(join(folder, 'lock.3'), JSON.stringify(someone(99_999)));
    await writeFile(join(folder, 'lock.7'), 'not by us');
    expect(await acquireLock(folder, ownIdentity())).toMatchObject({ status: 'ours' });
    expect(await readdir(folder)).toEqual(['lock.8']);
  });

  test('of a process whose pid was reused is acquired', async () => {
    const self = ownIdentity();
    await writeFile(join(folder, 'lock.1'), JSON.stringify({ ...self, startTime: `${self.startTime}0` }));
    expect(await acquireLock(folder, self)).toMatchObject({ status: process.platform === 'win32' ? 'held' : 'ours' });
  });

  test('of an earlier boot is acquired', async () => {
    const self = ownIdentity();
    await writeFile(join(folder, 'lock.1'), JSON.stringify({ ...self, table: 'another-boot pid:[1]' }));
    expect(await acquireLock(folder, self)).toMatchObject({ status: 'ours' });
  });

  test.each([0, -1, 1, 1.5, '5', null])('with %j for a process names no process', async (pid) => {
    await writeFile(join(folder, 'lock.1'), JSON.stringify({ ...ownIdentity(), pid }));
    expect(await lockHolder(folder)).toBeUndefined();
  });

  test('has one holder at a time, for any order and any leftovers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
        fc.integer({ min: 2, max: 6 }),
        fc.scheduler(),
        async (stale, contenders, scheduler) => {
          const place = await mkdtemp(join(folder, 'case-'));
          for (const number of stale) await writeFile(join(place, `lock.${number}`), JSON.stringify(someone(900)));
          const world = { isAlive: ({ pid }: ProcessIdentity) => pid < 900 };
          let holders = 0;
          let turns = 0;
          const contend = async (pid: number): Promise<void> => {
            let outcome: LockOutcome;
            do {
              await scheduler.schedule(Promise.resolve());
              outcome = await acquireLock(place, someone(pid), world);
            } while (outcome.status === 'held');
            holders += 1;
            expect(holders).toBe(1);
            await scheduler.schedule(Promise.resolve());
            holders -= 1;
            turns += 1;
            await outcome.release();
          };
          const all = Promise.all(Array.from({ length: contenders }, (_, index) => contend(100 + index)));
          await scheduler.waitFor(all);
          expect(turns).toBe(contenders);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('the identity of a process', () => {
  test('is alive until the process ends', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const identity = identify(child.pid ?? 0);
    expect(identity && isAlive(identity)).toBe(true);
    child.stdin.end();
    await once(child, 'exit');
    expect(identity && isAlive(identity)).toBe(false);
    expect(identity && sendSignal(identity, 'SIGTERM')).toBe(false);
  });
});
