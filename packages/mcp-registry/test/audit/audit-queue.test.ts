import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AuditLine, AuditQueue } from '../../src/audit/audit-queue.js';
import { RegistryError } from '../../src/errors.js';

const event = (name: string): AuditLine => ({ time: 'now', action: 'describe', name, decision: 'unknown' });

/** A disk that takes what it has room for, and a queue before it. */
function createQueue({ maxQueued = 100 } = {}) {
  const disk = { text: '', room: Number.POSITIVE_INFINITY, writes: 0 };
  const failures: string[] = [];
  const queue = new AuditQueue({
    maxQueued,
    retryAfterMs: 1_000,
    append: async (bytes) => {
      disk.writes++;
      const written = Math.min(bytes.length, disk.room);
      if (written === 0) throw new Error('no space left');
      disk.room -= written;
      disk.text += bytes.subarray(0, written).toString();
      return written;
    },
    toFailure: (cause) => new RegistryError('audit-log-failed', `cannot: ${(cause as Error).message}`, { cause }),
    onError: ({ message }) => failures.push(message),
  });
  const lines = () => disk.text.split('\n').filter((line) => line !== '');
  return { disk, queue, failures, lines, names: () => lines().flatMap(nameIn) };
}

function nameIn(line: string): string[] {
  try {
    const read = JSON.parse(line);
    return [read.action === 'dropped' ? `dropped ${read.dropped}` : read.name];
  } catch {
    return ['torn'];
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('lines are written in order, many in one write', async () => {
  const { queue, names, disk } = createQueue({ maxQueued: 10_000 });
  const added = Array.from({ length: 5_000 }, (_, n) => `n${n}`);
  for (const name of added) queue.add(event(name));
  await queue.flush();
  expect(names()).toEqual(added);
  expect(disk.writes).toBeLessThan(20);
  expect(queue.status).toEqual({ queued: 0, written: 5_000, dropped: 0, failure: undefined });
});

test.each([1, 2, 3, 4, 5, 6])(
  'a line that is added %i steps after a write is written without a further line',
  async (steps) => {
    const { queue, names, disk } = createQueue();
    queue.add(event('a'));
    while (disk.writes === 0) await Promise.resolve();
    for (let step = 0; step < steps; step++) await Promise.resolve();
    queue.add(event('b'));
    await vi.advanceTimersByTimeAsync(0);
    expect(names()).toEqual(['a', 'b']);
  },
);

describe('when it cannot be written', () => {
  test('lines are queued and retried automatically, with one report', async () => {
    const { queue, names, disk, failures } = createQueue();
    disk.room = 0;
    queue.add(event('a'));
    await expect(queue.flush()).rejects.toMatchObject({ code: 'audit-log-failed' });
    queue.add(event('b'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(failures).toEqual(['cannot: no space left']);
    expect(queue.status).toMatchObject({ queued: 2, written: 0, failure: { message: 'cannot: no space left' } });

    disk.room = Number.POSITIVE_INFINITY;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names()).toEqual(['a', 'b']);
    expect(queue.status).toEqual({ queued: 0, written: 2, dropped: 0, failure: undefined });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the queue is bounded, and a line reports the number of dropped events at their position', async () => {
    const { queue, names, disk } = createQueue({ maxQueued: 2 });
    disk.room = 0;
    for (const name of ['a', 'b', 'c', 'd', 'e']) queue.add(event(name));
    await queue.flush().catch(() => undefined);
    disk.room = Number.POSITIVE_INFINITY;
    await vi.advanceTimersByTimeAsync(1_000);
    queue.add(event('f'));
    await queue.flush();
    expect(names()).toEqual(['a', 'b', 'dropped 3', 'f']);
    expect(queue.status).toMatchObject({ written: 4, dropped: 3 });
  });

  test('repeated flushes do not lengthen the queue', async () => {
    const { queue, names, disk } = createQueue({ maxQueued: 3 });
    disk.room = 0;
    for (let n = 0; n < 50; n++) {
      queue.add(event(`n${n}`));
      await queue.flush().catch(() => undefined);
    }
    expect(queue.status).toMatchObject({ queued: 3, dropped: 47 });
    disk.room = Number.POSITIVE_INFINITY;
    await queue.flush();
    expect(names()).toEqual(['n0', 'n1', 'n2', 'dropped 47']);
  });

  test('a flush reports dropped lines even without a later event', async () => {
    const { queue, names, disk } = createQueue({ maxQueued: 1 });
    disk.room = 0;
    for (const name of ['a', 'b']) queue.add(event(name));
    await queue.flush().catch(() => undefined);
    disk.room = Number.POSITIVE_INFINITY;
    await queue.flush();
    expect(names()).toEqual(['a', 'dropped 1']);
  });

  test('a torn line is written again as a whole line', async () => {
    for (let room = 1; room < 200; room++) {
      const { queue, names, disk } = createQueue();
      disk.room = room;
      for (const name of ['a', 'b', 'c']) queue.add(event(name));
      await queue.flush().catch(() => undefined);
      disk.room = 1; // the newline alone, or the first byte
      await queue.flush().catch(() => undefined);
      disk.room = Number.POSITIVE_INFINITY;
      await queue.flush();
      expect(names().filter((name) => name !== 'torn')).toEqual(['a', 'b', 'c']);
    }
  });

  test('a listener that throws has no effect', async () => {
    const warned = once(process, 'warning');
    const queue = new AuditQueue({
      maxQueued: 5,
      retryAfterMs: 1_000,
      append: () => Promise.reject(new Error('no')),
      toFailure: () => new RegistryError('audit-log-failed', 'no'),
      onError: () => {
        throw new Error('listener');
      },
    });
    try {
      queue.add(event('a'));
      await expect(queue.flush()).rejects.toMatchObject({ code: 'audit-log-failed' });
      const [warning] = await warned;
      expect(warning.message).toMatch(/^onError threw: Error: listener\n/);
    } finally {
      queue.stop();
    }
  });

  test('dropped lines are counted, and no timer is left', async () => {
    const { queue, disk } = createQueue();
    disk.room = 0;
    queue.add(event('a'));
    await queue.flush().catch(() => undefined);
    queue.stop();
    expect(queue.status).toMatchObject({ queued: 0, dropped: 1 });
    expect(vi.getTimerCount()).toBe(0);
    await queue.flush();
  });
});
