import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type FakeClock, installFakeClock } from '../../../src/testing.js';

let clock: FakeClock | undefined;
afterEach(() => clock?.uninstall());

const install = (): FakeClock => {
  clock = installFakeClock();
  return clock;
};

test('nothing fires before its time, and everything at it', async () => {
  const clock = install();
  const start = performance.now();
  const fired: [string, number][] = [];
  const note = (name: string) => () => void fired.push([name, Math.round((performance.now() - start) / 1_000)]);
  setTimeout(note('late'), 60_000);
  setTimeout(note('early'), 30_000);
  setTimeout(note('beyond'), 90_000);
  await clock.advance(70_000);
  expect(fired).toEqual([
    ['early', 30],
    ['late', 60],
  ]);
});

test('the work that a timer causes is done before the next timer', async () => {
  const clock = install();
  const fired: string[] = [];
  setTimeout(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    fired.push('after the first');
    setTimeout(() => fired.push('set by the first'), 1_000);
  }, 10_000);
  setTimeout(() => fired.push('second'), 20_000);
  await clock.advance(30_000);
  expect(fired).toEqual(['after the first', 'set by the first', 'second']);
});

test('time passes without an advance', async () => {
  install();
  const before = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(Date.now() - before).toBeGreaterThanOrEqual(19);
});

test('all clocks agree', async () => {
  const clock = install();
  const dates = [Date.now(), Date.parse(new Date().toISOString()), Date.parse(Date())];
  const [wall = 0] = dates;
  const monotonic = performance.now();
  await clock.advance(3_600_000);
  expect(performance.now() - monotonic).toBeGreaterThanOrEqual(3_600_000);
  expect(Date.now() - wall).toBeGreaterThanOrEqual(3_600_000 - 1);
  expect(Date.parse(new Date().toISOString()) - wall).toBeGreaterThanOrEqual(3_600_000 - 1);
  expect(Date.parse(Date()) - wall).toBeGreaterThanOrEqual(3_600_000 - 1_000);
});

test('dates are dates as ever', () => {
  install();
  expect(new Date()).toBeInstanceOf(Date);
  expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
  expect(new Date(2026, 6, 28).getFullYear()).toBe(2026);
  expect(Date.UTC(1970, 0)).toBe(0);
  class Birthday extends Date {}
  expect(new Birthday(0)).toBeInstanceOf(Birthday);
});

test('a timer that was cleared, closed or disposed of does not fire', async () => {
  const clock = install();
  const fired: string[] = [];
  const timers = Array.from({ length: 5 }, (_, index) => setTimeout(() => fired.push(String(index)), 1_000));
  clearTimeout(timers[0]);
  clearTimeout(Number(timers[1]));
  clearInterval(timers[2]);
  timers[3]?.close();
  timers[4]?.[Symbol.dispose]();
  await clock.advance(2_000);
  expect(fired).toEqual([]);
});

test('an interval fires again and again, until it is cleared by itself', async () => {
  const clock = install();
  const fired: number[] = [];
  const interval = setInterval((step: number) => fired.push(step) === 4 && clearInterval(interval), 1_000, 7);
  await clock.advance(10_000);
  expect(fired).toEqual([7, 7, 7, 7]);
});

test('a refreshed timer starts over', async () => {
  const clock = install();
  const fired: string[] = [];
  const timer = setTimeout(() => fired.push('fired'), 10_000);
  await clock.advance(8_000);
  timer.refresh();
  await clock.advance(8_000);
  expect(fired).toEqual([]);
  await clock.advance(8_000);
  expect(fired).toEqual(['fired']);
});

test('a timer may let the process end', () => {
  install();
  const timer = setTimeout(() => undefined, 60_000);
  expect(timer.hasRef()).toBe(true);
  expect(timer.unref().hasRef()).toBe(false);
  expect(timer.ref().hasRef()).toBe(true);
});

test('util.promisify works with setTimeout', async () => {
  const clock = install();
  const waiting = promisify(setTimeout)(60_000, 'value');
  await clock.advance(60_000);
  expect(await waiting).toBe('value');
});

test('a callback runs in the context that it was made in', async () => {
  const clock = install();
  const context = new AsyncLocalStorage<string>();
  const seen = context.run(
    'mine',
    () => new Promise((resolve) => setTimeout(() => resolve(context.getStore()), 1_000)),
  );
  await clock.advance(1_000);
  expect(await seen).toBe('mine');
});

test('advance rejects with the error of a callback, and the clock keeps running', async () => {
  const clock = install();
  const fired: string[] = [];
  setTimeout(() => {
    throw new Error('broken');
  }, 1_000);
  setTimeout(() => fired.push('fired'), 2_000);
  await expect(clock.advance(5_000)).rejects.toThrow('broken');
  await clock.advance(5_000);
  expect(fired).toEqual(['fired']);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('the clock cannot be put forward by %d', async (ms) => {
  await expect(install().advance(ms)).rejects.toThrow(TypeError);
});

test('a clock that is put forward while it is put forward gets as far as both', async () => {
  const clock = install();
  const before = performance.now();
  await Promise.all([clock.advance(60_000), clock.advance(60_000)]);
  expect(performance.now() - before).toBeGreaterThanOrEqual(120_000);
});

test('the clock can be put forward by more than a timer can wait', async () => {
  const clock = install();
  const before = Date.now();
  const fired: number[] = [];
  setInterval(() => fired.push(Date.now() - before), 2_000_000_000);
  await clock.advance(5_000_000_000);
  expect(Date.now() - before).toBeGreaterThanOrEqual(5_000_000_000);
  expect(fired).toHaveLength(2);
});

test('there is one fake clock at a time', () => {
  install();
  expect(() => installFakeClock()).toThrow('A fake clock is installed already');
});

describe('after its end', () => {
  const globals = () => ({ setTimeout, setInterval, clearTimeout, clearInterval, Date, now: performance.now });

  test('the globals are those of before', async () => {
    const before = globals();
    {
      using clock = installFakeClock();
      expect(globals()).not.toEqual(before);
      await clock.advance(60_000);
    }
    expect(globals()).toEqual(before);
    expect(Object.getOwnPropertyDescriptor(performance, 'now')).toBeUndefined();
  });

  test('a timer that is still waiting fires in real time', async () => {
    const clock = install();
    const fired = new Promise((resolve) => setTimeout(resolve, 60_000, 'fired'));
    await clock.advance(59_990);
    clock.uninstall();
    expect(await fired).toBe('fired');
  });

  test('a timer that is still waiting can be cleared, and then nothing of the clock is left', () => {
    const before = globals();
    const clock = install();
    const timer = setTimeout(() => expect.unreachable(), 60_000);
    clock.uninstall();
    clearTimeout(timer);
    expect(globals()).toEqual(before);
  });

  test('a timer that is refreshed later still fires', async () => {
    const clock = install();
    let onFired: () => void = () => undefined;
    const timer = setTimeout(() => onFired(), 20);
    await clock.advance(20);
    clock.uninstall();
    const fired = new Promise<void>((resolve) => {
      onFired = resolve;
    });
    timer.refresh();
    await fired;
  });

  test('a second end changes nothing', () => {
    const clock = install();
    clock.uninstall();
    const other = installFakeClock();
    clock.uninstall();
    expect(() => installFakeClock()).toThrow();
    other.uninstall();
  });
});

/** Timers that set one more each, for some orders of which only a careful clock is right. */
const plan = fc.array(
  fc.record({ ms: fc.integer({ min: 1, max: 50 }), next: fc.option(fc.integer({ min: 1, max: 50 })) }),
  { maxLength: 12 },
);

test('timers fire in the order of other fake timers', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (timers) => {
      // In seconds, so that what goes by in real time makes no difference.
      const order = async (pass: (ms: number) => Promise<unknown>): Promise<string[]> => {
        const fired: string[] = [];
        for (const [index, { ms, next }] of timers.entries()) {
          setTimeout(
            () => {
              fired.push(`${index}`);
              if (next !== null) setTimeout(() => fired.push(`${index} again`), next * 1_000 + 100 * index);
            },
            ms * 1_000 + 100 * index,
          );
        }
        await pass(200_000);
        return fired;
      };
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const expected = await order((ms) => vi.advanceTimersByTimeAsync(ms)).finally(() => vi.useRealTimers());
      using clock = installFakeClock();
      expect(await order((ms) => clock.advance(ms))).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});
