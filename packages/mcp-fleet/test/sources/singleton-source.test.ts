import { describe, expect, test } from 'vitest';
import { SingletonSource } from '../../src/sources/singleton-source.js';
import { ChangingSource, restingSource } from '../helpers/offered.js';

function offer(source: ChangingSource) {
  const problems: { readonly message: string; readonly error: unknown }[] = [];
  const held = new SingletonSource({ source, onProblem: (message, error) => problems.push({ message, error }) });
  source.onToolsChanged(() => held.checkStopped());
  return { held, problems };
}

/** Stops when the test says so. */
function stoppedByHand(source: ChangingSource) {
  const finish: (() => void)[] = [];
  const stop = source.stop.bind(source);
  source.stop = async () => {
    await new Promise<void>((resolve) => finish.push(resolve));
    await stop();
  };
  return { finish };
}

/** What was begun is through. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const failure = new Error('It does not');

describe('the source of a singleton', () => {
  test('is stopped when it is offered, until there is a holder', async () => {
    const source = new ChangingSource('jobs', []);
    const { problems } = offer(source);
    await settled();
    expect([source.state, source.starts, problems]).toEqual(['stopped', 0, []]);
  });

  test('is started on the holder, and stopped when the holder changes', async () => {
    const source = restingSource('jobs', []);
    const { held, problems } = offer(source);
    held.setHolder(true);
    expect([source.state, source.starts, source.stops]).toEqual(['running', 1, 0]);
    held.setHolder(false);
    await settled();
    expect([source.state, source.starts, source.stops]).toEqual(['stopped', 1, 1]);
    expect(problems).toEqual([]);
  });

  test('is stopped and reported each time that other code starts it on the wrong node', async () => {
    const source = restingSource('jobs', []);
    const { problems } = offer(source);
    for (const times of [1, 2]) {
      await source.start();
      await settled();
      expect([source.state, source.stops]).toEqual(['stopped', times]);
    }
    const message = '"jobs" was started here, though the fleet runs it once and not on this node; it is stopped';
    expect(problems.map((problem) => problem.message)).toEqual([message, message]);
  });

  test('that cannot be stopped is reported once', async () => {
    const source: ChangingSource = Object.assign(new ChangingSource('jobs', []), { stop: undefined });
    const { held, problems } = offer(source);
    await settled();
    source.change();
    held.checkStopped();
    await settled();
    const message = '"jobs" could not be stopped, and another node may run it by now';
    expect(problems).toEqual([{ message, error: undefined }]);
  });

  test('is started again only after the previous stop', async () => {
    const source = restingSource('jobs', []);
    const { finish } = stoppedByHand(source);
    const { held } = offer(source);
    held.setHolder(true);
    held.setHolder(false);
    held.setHolder(true);
    held.ensureStarted();
    await settled();
    expect(source.starts).toBe(1);
    finish[0]?.();
    await settled();
    expect([source.state, source.starts, source.stops]).toEqual(['running', 2, 1]);
  });

  test('that could not be started is reported, unless it was stopped meanwhile', async () => {
    const source = restingSource('jobs', []);
    source.start = () => Promise.reject(failure);
    const { held, problems } = offer(source);
    held.setHolder(true);
    held.setHolder(false);
    await settled();
    expect(problems).toEqual([]);
    held.setHolder(true);
    await settled();
    const message = '"jobs" could not be started, although this node has to run it';
    expect(problems).toEqual([{ message, error: failure }]);
  });

  test('is started by a call that finds it stopped, on the holder only', async () => {
    const source = restingSource('jobs', []);
    const { held } = offer(source);
    held.ensureStarted();
    expect(source.starts).toBe(0);
    held.setHolder(true);
    await source.stop();
    held.ensureStarted();
    held.ensureStarted();
    expect([source.state, source.starts]).toEqual(['running', 2]);
  });

  test('is not touched after the end of the fleet, which stops it on the holder', async () => {
    const source = restingSource('jobs', []);
    const { held, problems } = offer(source);
    held.setHolder(true);
    await held.end();
    expect(source.state).toBe('stopped');
    await source.start();
    await settled();
    expect([source.state, problems]).toEqual(['running', []]);
  });

  test('that does not stop at the end rejects `end`', async () => {
    const source = restingSource('jobs', []);
    source.stop = () => Promise.reject(failure);
    const { held } = offer(source);
    held.setHolder(true);
    await expect(held.end()).rejects.toBe(failure);
  });
});
