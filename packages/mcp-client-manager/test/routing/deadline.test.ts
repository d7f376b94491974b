import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadline } from '../../src/routing/deadline.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('what passes while the clock stands does not count, and half an hour is the most that it does', () => {
  const end = vi.fn();
  const deadline = new Deadline(1_000, end);
  vi.advanceTimersByTime(400);
  deadline.stop();
  vi.advanceTimersByTime(1_000_000);
  deadline.goOn();
  vi.advanceTimersByTime(500);
  deadline.stop();
  vi.advanceTimersByTime(800_099);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledOnce();
});

test('nothing ends after it was cleared', () => {
  const end = vi.fn();
  const deadline = new Deadline(1_000, end);
  deadline.stop();
  deadline.clear();
  deadline.goOn();
  deadline.stop();
  vi.advanceTimersByTime(10_000_000);
  expect(end).not.toHaveBeenCalled();
});
