import { once } from 'node:events';
import { expect, test } from 'vitest';
import { EventHub } from '../src/events.js';

const line = (text: string) => ({ server: 'git', line: text });

test('listeners are called in the order they came', () => {
  const hub = new EventHub();
  const heard: string[] = [];
  hub.on('server-stderr', () => heard.push('first'));
  hub.on('server-stderr', () => heard.push('second'));
  hub.emit('server-stderr', line('x'));
  expect(heard).toEqual(['first', 'second']);
});

test('a listener that throws is reported as a warning and does not stop the next', async () => {
  const hub = new EventHub();
  const heard: string[] = [];
  const warned = once(process, 'warning');
  hub.on('server-stderr', () => {
    throw new Error('cannot listen');
  });
  hub.on('server-stderr', ({ line: text }) => heard.push(text));
  hub.emit('server-stderr', line('x'));
  expect(heard).toEqual(['x']);
  const [warning] = (await warned) as [Error];
  expect(warning.message).toMatch(/^A listener of "server-stderr" threw: Error: cannot listen\n/);
});

test('a listener that was disposed of hears nothing more, not even the event that is being told', () => {
  const hub = new EventHub();
  const heard: string[] = [];
  hub.on('server-stderr', () => second[Symbol.dispose]());
  const second = hub.on('server-stderr', () => heard.push('second'));
  hub.emit('server-stderr', line('x'));
  expect(heard).toEqual([]);
});

test('one function that listens twice can stop once', () => {
  const hub = new EventHub();
  const heard: string[] = [];
  const listen = ({ line: text }: { line: string }): void => void heard.push(text);
  const first = hub.on('server-stderr', listen);
  hub.on('server-stderr', listen);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  hub.emit('server-stderr', line('x'));
  expect(heard).toEqual(['x']);
});

test('a listener that comes while an event is told does not hear that one', () => {
  const hub = new EventHub();
  const heard: string[] = [];
  hub.on('server-stderr', () => void hub.on('server-stderr', ({ line: text }) => heard.push(text)));
  hub.emit('server-stderr', line('x'));
  expect(heard).toEqual([]);
});
