import { once } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from '../../src/async/on-abort.js';

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
