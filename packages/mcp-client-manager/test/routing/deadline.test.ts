import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadline } from '../../src/routing/deadline.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('a pause does not count, up to half an hour', () => {
  const end = vi.fn();
  const deadline = new Deadline(1_000, end);
  vi.advanceTimersByTime(400);
  deadline.pause();
  vi.advanceTimersByTime(1_000_000);
  deadline.resume();
  vi.advanceTimersByTime(500);
  deadline.pause();
  vi.advanceTimersByTime(800_099);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledOnce();
});

test('nothing ends after it was cleared', () => {
  const end = vi.fn();
  const deadline = new Deadline(1_000, end);
  deadline.pause();
  deadline.clear();
  deadline.resume();
  deadline.pause();
  vi.advanceTimersByTime(10_000_000);
  expect(end).not.toHaveBeenCalled();
});

test('its due time includes the half hour during a pause, and excludes it afterwards', () => {
  const from = performance.now();
  const deadline = new Deadline(1_000, vi.fn());
  expect(deadline.dueMs).toBe(from + 1_000);
  vi.advanceTimersByTime(400);
  deadline.pause();
  expect(deadline.dueMs).toBe(from + 1_000 + 1_800_000);
  vi.advanceTimersByTime(5_000);
  deadline.resume();
  expect(deadline.dueMs).toBe(from + 6_000);
});

test('a second pause or resume has no effect', () => {
  const end = vi.fn();
  const deadline = new Deadline(1_000, end);
  vi.advanceTimersByTime(100);
  deadline.resume();
  vi.advanceTimersByTime(300);
  deadline.pause();
  vi.advanceTimersByTime(5_000);
  deadline.pause();
  vi.advanceTimersByTime(5_000);
  deadline.resume();
  vi.advanceTimersByTime(599);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledOnce();
});

test('a pause beyond the half hour counts', () => {
  const end = vi.fn();
  const deadline = new Deadline(1_000, end);
  vi.advanceTimersByTime(400);
  deadline.pause();
  vi.advanceTimersByTime(1_800_200);
  deadline.resume();
  vi.advanceTimersByTime(399);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledOnce();
});
