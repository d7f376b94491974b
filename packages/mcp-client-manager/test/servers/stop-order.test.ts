import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stopInOrder } from '../../src/servers/stop-order.js';
import { failureOf } from '../helpers/servers.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('those of one priority stop together, and the next when they are gone', async () => {
  const log: string[] = [];
  const server = (priority: number, ms: number) => ({
    priority,
    stop: () => {
      log.push(`${priority} begins`);
      return new Promise<void>((resolve) => setTimeout(resolve, ms)).then(() => void log.push(`${priority} is gone`));
    },
  });
  const stopped = stopInOrder([server(5, 10), server(-1, 100), server(0, 10), server(-1, 50)]);
  await vi.advanceTimersByTimeAsync(1_000);
  await stopped;
  expect(log).toEqual([
    '-1 begins',
    '-1 begins',
    '-1 is gone',
    '-1 is gone',
    '0 begins',
    '0 is gone',
    '5 begins',
    '5 is gone',
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test('stops unused servers in the turn of the call, with any priority', async () => {
  const log: string[] = [];
  const server = (priority: number, isInUse: boolean) => ({
    priority,
    isInUse,
    stop: async () => void log.push(`${priority} ${isInUse ? 'in use' : 'unused'}`),
  });
  const stopped = stopInOrder([server(9, false), server(1, true), server(5, false), server(0, true)]);
  expect(log).toEqual(['5 unused', '9 unused', '0 in use']);
  await stopped;
  expect(log.at(-1)).toBe('1 in use');
});

test('stops all remaining servers after twenty seconds', async () => {
  const begun: number[] = [];
  const stubborn = (priority: number) => ({
    priority,
    stop: () => {
      begun.push(priority);
      return new Promise<void>((resolve) => setTimeout(resolve, 30_000));
    },
  });
  const stopped = stopInOrder([stubborn(3), stubborn(2), stubborn(1)]);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(begun).toEqual([1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual([1, 2, 3]);
  await vi.advanceTimersByTimeAsync(30_000);
  await stopped;
});

test('a server that does not stop is reported and does not block others', async () => {
  const stopped: string[] = [];
  const reason = new Error('still there');
  const failure = await failureOf(
    stopInOrder([
      { priority: 0, stop: () => Promise.reject(reason) },
      { priority: 1, stop: async () => void stopped.push('other') },
    ]),
  );
  expect(stopped).toEqual(['other']);
  expect(failure).toMatchObject({ message: '1 of 2 servers did not stop', errors: [reason] });
});
