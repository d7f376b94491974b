import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterCrash, type CrashHistory } from '../../../src/daemon/parent/restart-budget.js';

/** What comes of crashes that are so many milliseconds apart, each after the worker had been up for that long. */
function replay(
  gaps: readonly number[],
  random = 1,
): { readonly delays: readonly number[]; readonly isParked: boolean } {
  let history: CrashHistory = [];
  let now = 0;
  const delays: number[] = [];
  for (const gap of gaps) {
    const readySince = now;
    now += gap;
    const verdict = afterCrash(history, { now, readySince, random });
    history = verdict.history;
    if (verdict.next === 'park') return { delays, isParked: true };
    delays.push(verdict.delayMs);
  }
  return { delays, isParked: false };
}

describe('a worker that crashes', () => {
  test('is restarted after a delay that doubles, half of it random', () => {
    expect(replay([20_000, 20_000, 20_000]).delays).toEqual([250, 500, 1_000]);
    expect(replay([20_000, 20_000, 20_000], 0).delays).toEqual([125, 250, 500]);
  });

  test('is parked after five crashes within a minute', () => {
    expect(replay([1, 1, 1, 1])).toMatchObject({ isParked: false });
    expect(replay([1, 1, 1, 1, 1])).toMatchObject({ isParked: true });
  });

  test('is parked after ten crashes without a stable period', () => {
    const often = (count: number) => Array.from({ length: count }, () => 100_000);
    expect(replay(often(9))).toMatchObject({ isParked: false });
    expect(replay(often(10))).toMatchObject({ isParked: true });
  });

  test('starts a new history after two minutes of uptime', () => {
    expect(replay([1, 1, 1, 1, 120_000, 1, 1, 1]).delays.at(4)).toBe(250);
    expect(replay(Array.from({ length: 50 }, () => 120_000))).toMatchObject({ isParked: false });
  });

  test('never waits longer than a minute, and is always restarted or parked', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (gaps, random) => {
          const { delays, isParked } = replay(gaps, random);
          for (const delay of delays) expect(delay).toBeLessThanOrEqual(60_000);
          if (!isParked) expect(delays).toHaveLength(gaps.length);
        },
      ),
    );
  });
});
