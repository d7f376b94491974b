import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { processEntry, runningProcesses } from '@x/internal/processes';
import { expectNoLeaks, withOwner } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { guardianScript } from '../../../src/process/orphans/guardian.js';

const strangers: ChildProcess[] = [];
afterEach(async () => {
  for (const child of strangers.splice(0)) child.kill('SIGKILL');
  await expectNoLeaks();
});

interface Group {
  readonly pid: number;
  /** Settles when the leader has ended. */
  readonly ended: Promise<unknown>;
  /** True while the leader is not known to have ended. */
  isRunning(): boolean;
}

/** A process that leads a group of its own, ignores SIGTERM and has a child in its group. */
async function group(env: NodeJS.ProcessEnv = {}): Promise<Group> {
  const script = "trap '' TERM; sleep 1000 & echo up; wait";
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    env: { ...withOwner(), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  strangers.push(child);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return { pid: child.pid as number, ended, isRunning };
}

/** Runs the guardian over these orders to its end, as it comes when the host is gone. */
async function guardianAfter(orders: string, groups: readonly string[] = []): Promise<void> {
  const args = ['-c', guardianScript, 'guardian', ...groups];
  const guardian = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'] });
  guardian.stdin.end(orders);
  await once(guardian, 'exit');
}

describe.skipIf(process.platform === 'win32')('the guardian', () => {
  test('kills every group that is left, and no other', async () => {
    const [first, second, forgotten, unknown] = [await group(), await group(), await group(), await group()];
    const orders = [`+${first.pid}:0`, `+${forgotten.pid}:0`, `+${second.pid}:0`, `-${forgotten.pid}:0`, '?', ''];
    await guardianAfter(orders.join('\n'));
    await Promise.all([first.ended, second.ended]);
    expect([forgotten, unknown].map((child) => child.isRunning())).toEqual([true, true]);
    for (const { pid } of [forgotten, unknown]) process.kill(-pid, 'SIGKILL');
  });

  test('guards a forgotten group again when it returns', async () => {
    const child = await group();
    const { pid } = child;
    const orders = [`+${pid}:0`, `+${pid}1:5`, `+1${pid}:5`, `-${pid}:0`, `-${pid}:0`, `+${pid}:0`, `-${pid}1:5`, ''];
    await guardianAfter(orders.join('\n'));
    await child.ended;
  });

  test('guards the groups of its arguments until an order to forget them', async () => {
    const [child, forgotten] = [await group(), await group()];
    await guardianAfter(`-${forgotten.pid}:0\n`, [`${child.pid}:0`, `${forgotten.pid}:0`]);
    await child.ended;
    expect(forgotten.isRunning()).toBe(true);
    process.kill(-forgotten.pid, 'SIGKILL');
  });

  test('half an order is not obeyed', async () => {
    const child = await group();
    await guardianAfter(`+1:0\n-1:0\n+${child.pid}:0`);
    expect(child.isRunning()).toBe(true);
    process.kill(-child.pid, 'SIGKILL');
  });
});

describe.skipIf(process.platform !== 'linux')('the guardian, where there is /proc,', () => {
  test('spares a group whose number belongs to a foreign process now', async () => {
    const [stranger, ours] = [await group(), await group()];
    const startTime = processEntry(ours.pid)?.startTime;
    await guardianAfter(`+${stranger.pid}:1\n+${ours.pid}:${startTime}\n`);
    await ours.ended;
    expect(stranger.isRunning()).toBe(true);
    process.kill(-stranger.pid, 'SIGKILL');
  });

  test('kills a group whose leader is gone already', async () => {
    const child = await group();
    const startTime = processEntry(child.pid)?.startTime;
    process.kill(child.pid, 'SIGKILL');
    await child.ended;
    await guardianAfter(`+${child.pid}:${startTime}\n`);
    await expect.poll(() => hasMembers(child.pid)).toBe(false);
  });

  test('finds a process that was starting when its owner died, and no other', async () => {
    const [launch, other] = [randomUUID(), randomUUID()];
    const late = await group({ LAUNCH: launch });
    const neighbour = await group({ LAUNCH: other });
    await guardianAfter(`?LAUNCH=${launch}\n`);
    await late.ended;
    await expect.poll(() => hasMembers(late.pid)).toBe(false);
    expect(neighbour.isRunning()).toBe(true);
    process.kill(-neighbour.pid, 'SIGKILL');
  });

  test('stops searching after the start', async () => {
    const launch = randomUUID();
    const child = await group({ LAUNCH: launch });
    await guardianAfter(`?LAUNCH=${launch}\n+${child.pid}:1\n`);
    await guardianAfter(`?LAUNCH=${launch}\n?\n`);
    expect(child.isRunning()).toBe(true);
    process.kill(-child.pid, 'SIGKILL');
  });

  test.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)('does not leave for %s', async (signal) => {
    const child = await group();
    const guardian = spawn('/bin/sh', ['-c', guardianScript], { stdio: ['pipe', 'ignore', 'ignore'] });
    guardian.stdin.write(`+${child.pid}:0\n`);
    await expect.poll(() => ignoresSignals(guardian.pid)).toBe(true);
    guardian.kill(signal);
    guardian.stdin.end();
    await Promise.all([once(guardian, 'exit'), child.ended]);
    expect(guardian.signalCode).toBeNull();
  });
});

function hasMembers(group: number): boolean {
  return runningProcesses().some((entry) => entry.group === group);
}

/** True if a process ignores SIGHUP, SIGINT and SIGTERM. */
function ignoresSignals(pid: number | undefined): boolean {
  const [, mask = '0'] = /^SigIgn:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) & 0x4003n) === 0x4003n;
}
