import { expect, test } from 'vitest';
import { Emitter } from '../src/events.js';

test('a listener that throws is reported and does not stop the next one', () => {
  const reported: unknown[] = [];
  const emitter = new Emitter<{ happened: number }>((error) => reported.push(error));
  const seen: number[] = [];
  const error = new Error('listener');
  emitter.on('happened', () => {
    throw error;
  });
  emitter.on('happened', (value) => seen.push(value));
  emitter.emit('happened', 1);
  emitter.emit('happened', 2);
  expect([seen, reported]).toEqual([
    [1, 2],
    [error, error],
  ]);
});

test('a listener that was disposed by an earlier one is not called any more', () => {
  const emitter = new Emitter<{ happened: number }>();
  const seen: string[] = [];
  emitter.on('happened', () => {
    seen.push('first');
    second[Symbol.dispose]();
  });
  const second = emitter.on('happened', () => seen.push('second'));
  emitter.emit('happened', 1);
  expect(seen).toEqual(['first']);
});

test('one function that listens twice is called twice, and disposing one leaves the other', () => {
  const emitter = new Emitter<{ happened: number }>();
  const seen: number[] = [];
  const listener = (value: number) => void seen.push(value);
  const first = emitter.on('happened', listener);
  emitter.on('happened', listener);
  emitter.emit('happened', 1);
  first[Symbol.dispose]();
  emitter.emit('happened', 2);
  expect(seen).toEqual([1, 1, 2]);
});
