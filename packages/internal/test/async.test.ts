import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  eitherSignal,
  nextTurn,
  onAbort,
  pause,
  sequence,
  unlessAborted,
  within,
  withResolvers,
} from '../src/async.js';

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

test('works of a sequence start in order, each after the end or the failure of the previous one', async () => {
  const inSequence = sequence();
  const began: string[] = [];
  const first = withResolvers();
  const works = [
    inSequence(async () => {
      began.push('first');
      await first.promise;
      throw new Error('its own');
    }),
    inSequence(() => began.push('second')),
  ];
  await nextTurn();
  expect(began).toEqual(['first']);
  first.resolve();
  await expect(works[0]).rejects.toThrow('its own');
  expect(await works[1]).toBe(2);
  expect(began).toEqual(['first', 'second']);
});

test('a failure in a sequence is unhandled only if its caller ignores it', async () => {
  const inSequence = sequence();
  const failed = inSequence(() => Promise.reject(new Error('its own')));
  await expect(failed).rejects.toThrow('its own');
  await nextTurn(); // an unhandled rejection fails the run
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

test('calls each listener once on abort, except removed ones', () => {
  const end = new AbortController();
  const heard: number[] = [];
  const leave = [1, 2, 3].map((number) => onAbort(end.signal, () => heard.push(number)));
  leave[1]?.();
  end.abort();
  expect(heard).toEqual([1, 3]);
});

test('the same function listens as often as it is given', () => {
  const end = new AbortController();
  let heard = 0;
  const listen = (): void => {
    heard += 1;
  };
  const leave = onAbort(end.signal, listen);
  onAbort(end.signal, listen);
  leave();
  end.abort();
  expect(heard).toBe(1);
});

test('a hundred who listen to one signal are no leak to warn of', async () => {
  const end = new AbortController();
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  for (let count = 0; count < 100; count += 1) onAbort(end.signal, () => undefined);
  const marker = once(process, 'warning');
  process.emitWarning('the last one');
  await marker;
  process.off('warning', note);
  expect(warnings.map(({ message }) => message)).toEqual(['the last one']);
});

test('aborts with the first of its signals, for the same reason', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  using either = eitherSignal(one.signal, other.signal);
  expect(either.signal.aborted).toBe(false);
  other.abort('other');
  one.abort('one');
  expect(either.signal.reason).toBe('other');
});

test('is aborted at once if one of them is', () => {
  using either = eitherSignal(new AbortController().signal, AbortSignal.abort('before'));
  expect(either.signal.reason).toBe('before');
});

test('follows none of them once it is disposed', () => {
  const one = new AbortController();
  const either = eitherSignal(one.signal);
  either[Symbol.dispose]();
  one.abort();
  expect(either.signal.aborted).toBe(false);
});
