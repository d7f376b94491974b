import { expect, test } from 'vitest';
import { inTime, TimeOverError } from '../../src/session/in-time.js';

test('what is done in its time brings what it brings', () => {
  expect(inTime(100, () => 'done')).toBe('done');
  expect(() =>
    inTime(100, () => {
      throw new RangeError('no');
    }),
  ).toThrow(RangeError);
});

test('a loop without end is stopped', () => {
  const forever = (): never => {
    for (;;);
  };
  expect(() => inTime(20, forever)).toThrow(TimeOverError);
});

test('a pattern that backtracks for ever is stopped', () => {
  expect(() => inTime(20, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`))).toThrow(TimeOverError);
});

test('what was stopped leaves the next one alone', () => {
  expect(() => inTime(20, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`))).toThrow(TimeOverError);
  expect(inTime(100, () => /^a+$/.test('aaa'))).toBe(true);
});
