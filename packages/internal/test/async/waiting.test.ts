import { expect, test } from 'vitest';
import { nextTurn, pause, unlessAborted, within } from '../../src/async/waiting.js';

const never = new Promise<never>(() => undefined);

test('a promise is waited for until the signal aborts, whose reason counts then', async () => {
  const end = new AbortController();
  expect(await unlessAborted(Promise.resolve('yes'), end.signal)).toBe('yes');
  expect(await unlessAborted('no promise', undefined)).toBe('no promise');
  await expect(unlessAborted(Promise.reject(new Error('its own')), end.signal)).rejects.toThrow('its own');
  const waiting = unlessAborted(never, end.signal);
  end.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(unlessAborted(Promise.resolve('too late'), end.signal)).rejects.toThrow('enough');
});

test('what is rejected after the abort is not unhandled', async () => {
  const end = new AbortController();
  let fail = (_: Error): void => undefined;
  const waiting = unlessAborted(new Promise((_, reject) => (fail = reject)), end.signal);
  end.abort('over');
  await expect(waiting).rejects.toBe('over');
  fail(new Error('afterwards'));
  await nextTurn(); // an unhandled rejection fails the run
});

test('a promise is waited for so long, and then no more', async () => {
  expect(await within(Promise.resolve('in time'), 60_000)).toBe('in time');
  expect(await within(never, 1)).toBeUndefined();
  await expect(within(Promise.reject(new Error('its own')), 60_000)).rejects.toThrow('its own');
});

test('a pause ends after its time, or rejects when the signal aborts', async () => {
  const before = performance.now();
  await pause(20);
  expect(performance.now() - before).toBeGreaterThan(18);
  const end = new AbortController();
  const long = pause(600_000, end.signal);
  end.abort('enough');
  await expect(long).rejects.toBe('enough');
  await expect(pause(600_000, end.signal)).rejects.toBe('enough');
});
