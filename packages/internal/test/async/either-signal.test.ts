import { expect, test } from 'vitest';
import { eitherSignal } from '../../src/async/either-signal.js';

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
