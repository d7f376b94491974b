import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Turns } from '../../src/routing/turns.js';

const anyLimits = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 4 }),
  maxQueued: fc.integer({ min: 0, max: 5 }),
});
const anyStep = fc.oneof(
  fc.constant({ type: 'enter' as const }),
  fc.record({ type: fc.constant('leave' as const), which: fc.nat(20) }),
);

/** Lets everybody have a turn whose turn it is. */
function granted(turns: Turns<number>): number[] {
  const items: number[] = [];
  for (let next = turns.next(); next !== undefined; next = turns.next()) items.push(next);
  return items;
}

test('whatever comes and goes, the limits hold, nobody waits for nothing, and the first come have the first turn', () => {
  fc.assert(
    fc.property(anyLimits, fc.array(anyStep, { maxLength: 60 }), (limits, steps) => {
      const turns = new Turns<number>({ limits: () => limits, clientOf: () => undefined });
      const order: number[] = [];
      const left = new Set<number>();
      let entered = 0;
      for (const step of steps) {
        if (step.type === 'enter' && !turns.isFull) {
          entered += 1;
          if (turns.enter(entered)) order.push(entered);
        } else if (step.type === 'leave') {
          const item = turns.items()[step.which % Math.max(1, turns.items().length)];
          if (item !== undefined) left.add(item);
          if (item !== undefined) turns.leave(item);
          order.push(...granted(turns));
        }
        expect(turns.active).toBeLessThanOrEqual(limits.maxConcurrent);
        expect(turns.waiting).toBeLessThanOrEqual(limits.maxQueued);
        if (turns.waiting > 0) expect(turns.active).toBe(limits.maxConcurrent);
        expect(turns.items().length + left.size).toBe(entered);
      }
      expect(order).toEqual(order.toSorted((one, other) => one - other));
    }),
  );
});

test('limits that grow let in who waits, the first in the queue first', () => {
  let maxConcurrent = 1;
  const turns = new Turns<number>({ limits: () => ({ maxConcurrent, maxQueued: 9 }), clientOf: () => undefined });
  expect([1, 2, 3, 4].map((item) => turns.enter(item))).toEqual([true, false, false, false]);
  maxConcurrent = 3;
  expect(turns.enter(5)).toBe(false);
  expect(granted(turns)).toEqual([2, 3]);
});

test('limits that shrink take no turn away', () => {
  let maxConcurrent = 3;
  const turns = new Turns<number>({ limits: () => ({ maxConcurrent, maxQueued: 9 }), clientOf: () => undefined });
  for (const item of [1, 2, 3, 4]) turns.enter(item);
  maxConcurrent = 1;
  turns.leave(1);
  expect(granted(turns)).toEqual([]);
  expect(turns.active).toBe(2);
  turns.leave(2);
  turns.leave(3);
  expect(granted(turns)).toEqual([4]);
});

test('while others wait, no client has more than half of the turns', () => {
  const limits = () => ({ maxConcurrent: 4, maxQueued: 99 });
  const turns = new Turns<string>({ limits, clientOf: (item) => item[0] });
  for (const item of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'c1', 'b2', 'b3']) turns.enter(item);
  const after = (item: string): string | undefined => {
    turns.leave(item);
    return turns.next();
  };
  const next = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2', 'b3'].map(after);
  expect(next).toEqual(['b1', 'c1', 'a5', 'b2', 'b3', 'a6', undefined]);
});

test('who has given a turn back has it again before all who have had none, and not before there is one', () => {
  const turns = new Turns<string>({ limits: () => ({ maxConcurrent: 1, maxQueued: 9 }), clientOf: () => undefined });
  for (const item of ['first', 'second', 'third']) turns.enter(item);
  turns.pause('first');
  expect([turns.next(), turns.next()]).toEqual(['second', undefined]);
  expect(turns.resume('first')).toBe(false);
  expect(turns.items()).toEqual(['second', 'first', 'third']);
  turns.leave('second');
  expect(turns.next()).toBe('first');
  turns.pause('first');
  expect(turns.resume('first')).toBe(true);
  turns.leave('first');
  expect(turns.next()).toBe('third');
});
