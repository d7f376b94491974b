import { once } from 'node:events';
import { expect, test } from 'vitest';
import { callListener, Emitter } from '../src/events.js';

test('a listener that throws is a warning, and does not stop the next one', async () => {
  const warned = once(process, 'warning');
  const emitter = new Emitter<{ happened: number }>();
  const seen: number[] = [];
  emitter.on('happened', () => {
    throw new Error('not today');
  });
  emitter.on('happened', (value) => seen.push(value));
  emitter.emit('happened', 1);
  expect(seen).toEqual([1]);
  const [warning] = await warned;
  expect(warning.message).toMatch(/^A listener of "happened" threw: Error: not today\n/);
});

test('where there is no process, it is a line on the console', () => {
  const { process, console } = globalThis;
  const said: unknown[] = [];
  try {
    Object.assign(globalThis, { process: undefined, console: { warn: (text: unknown) => said.push(text) } });
    callListener('The guest', () => {
      throw 'nothing';
    });
  } finally {
    Object.assign(globalThis, { process, console });
  }
  expect(said).toEqual(['The guest threw: nothing']);
});

test('a listener that an earlier one has disposed is not called any more', () => {
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

test('a listener that comes during an event does not hear that one', () => {
  const emitter = new Emitter<{ happened: number }>();
  const seen: number[] = [];
  emitter.on('happened', () => void emitter.on('happened', (value) => seen.push(value)));
  emitter.emit('happened', 1);
  expect(seen).toEqual([]);
});

test('what a listener emits comes after the present event, for all listeners', () => {
  const emitter = new Emitter<{ happened: number }>();
  const seen: string[] = [];
  emitter.on('happened', (value) => {
    seen.push(`first ${value}`);
    if (value === 1) emitter.emit('happened', 2);
  });
  emitter.on('happened', (value) => seen.push(`second ${value}`));
  emitter.emit('happened', 1);
  expect(seen).toEqual(['first 1', 'second 1', 'first 2', 'second 2']);
});

test('clear removes all listeners', () => {
  const emitter = new Emitter<{ happened: number }>();
  emitter.on('happened', () => expect.fail('cleared'));
  emitter.clear();
  emitter.emit('happened', 1);
});
