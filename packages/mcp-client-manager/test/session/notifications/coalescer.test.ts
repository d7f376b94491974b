import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Coalescer } from '../../../src/session/notifications/coalescer.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('notifies once per key and period, and after the last addition', () => {
  const step = fc.record({ afterMs: fc.integer({ min: 0, max: 700 }), key: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const told: { key: string; at: number }[] = [];
      const coalescer = new Coalescer<string>({
        periodMs: 1_000,
        notify: (key) => void told.push({ key, at: performance.now() }),
      });
      const lastAdded = new Map<string, number>();
      for (const { afterMs, key } of steps) {
        vi.advanceTimersByTime(afterMs);
        lastAdded.set(key, performance.now());
        coalescer.add(key);
      }
      vi.advanceTimersByTime(5_000);
      expect(vi.getTimerCount()).toBe(0);
      for (const [key, addedAt] of lastAdded) {
        const times = told.filter((each) => each.key === key).map(({ at }) => at);
        expect(times.at(-1)).toBeGreaterThanOrEqual(addedAt);
        expect(times.at(-1)).toBeLessThanOrEqual(addedAt + 1_001);
        for (const [index, at] of times.entries()) {
          if (index > 0) expect(at - (times[index - 1] as number)).toBeGreaterThanOrEqual(1_000);
        }
      }
    }),
  );
});

test('does not notify after close', () => {
  const told: string[] = [];
  const coalescer = new Coalescer<string>({ periodMs: 1_000, notify: (key) => void told.push(key) });
  coalescer.add('a');
  coalescer.add('a');
  coalescer.close();
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual(['a']);
});
