import { describe, expect, test } from 'vitest';
import { HeldSource } from '../../src/sources/held-source.js';
import { ChangingSource, restingSource } from '../helpers/offered.js';

function offer(source: ChangingSource) {
  const problems: { readonly message: string; readonly error: unknown }[] = [];
  const held = new HeldSource({ source, onProblem: (message, error) => problems.push({ message, error }) });
  source.onToolsChanged(() => held.look());
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

describe('a source of which the fleet runs one', () => {
  test('is stopped when it is offered, until it is decided who runs it', async () => {
    const source = new ChangingSource('jobs', []);
    const { problems } = offer(source);
    await settled();
    expect([source.state, source.starts, problems]).toEqual(['stopped', 0, []]);
  });

  test('is started where it is held, and stopped where it is not any more', async () => {
    const source = restingSource('jobs', []);
    const { held, problems } = offer(source);
    held.hold(true);
    expect([source.state, source.starts, source.stops]).toEqual(['running', 1, 0]);
    held.hold(false);
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

  test('that runs and cannot be stopped is reported once', async () => {
    const source: ChangingSource = Object.assign(new ChangingSource('jobs', []), { stop: undefined });
    const { held, problems } = offer(source);
    await settled();
    source.change();
    held.look();
    await settled();
    const message = '"jobs" could not be stopped, and another node may run it by now';
    expect(problems).toEqual([{ message, error: undefined }]);
  });

  test('is started anew only when the stop before is through', async () => {
    const source = restingSource('jobs', []);
    const { finish } = stoppedByHand(source);
    const { held } = offer(source);
    held.hold(true);
    held.hold(false);
    held.hold(true);
    held.wake();
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
    held.hold(true);
    held.hold(false);
    await settled();
    expect(problems).toEqual([]);
    held.hold(true);
    await settled();
    const message = '"jobs" could not be started, and this node is the one to run it';
    expect(problems).toEqual([{ message, error: failure }]);
  });

  test('is started by a call that finds it stopped, where it is held and nowhere else', async () => {
    const source = restingSource('jobs', []);
    const { held } = offer(source);
    held.wake();
    expect(source.starts).toBe(0);
    held.hold(true);
    await source.stop();
    held.wake();
    held.wake();
    expect([source.state, source.starts]).toEqual(['running', 2]);
  });

  test('is left alone by a fleet that has ended, stopped if it was held', async () => {
    const source = restingSource('jobs', []);
    const { held, problems } = offer(source);
    held.hold(true);
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
    held.hold(true);
    await expect(held.end()).rejects.toBe(failure);
  });
});
