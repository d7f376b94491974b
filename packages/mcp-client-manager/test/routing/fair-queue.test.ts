import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from '../../src/routing/fair-queue.js';

const anyLimits = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 4 }),
  maxQueued: fc.integer({ min: 0, max: 5 }),
});
const anyStep = fc.oneof(
  fc.constant({ type: 'enter' as const }),
  fc.record({ type: fc.constant('leave' as const), which: fc.nat(20) }),
);

/** Lets everybody have a turn whose turn it is. */
function granted(turns: FairQueue<number>): number[] {
  const items: number[] = [];
  for (let next = turns.next(); next !== undefined; next = turns.next()) items.push(next);
  return items;
}

test('keeps the limits, grants free turns at once, and serves in order', () => {
  fc.assert(
    fc.property(anyLimits, fc.array(anyStep, { maxLength: 60 }), (limits, steps) => {
      const turns = new FairQueue<number>({ limits: () => limits, clientOf: () => undefined });
      const order: number[] = [];
      const left = new Set<number>();
      let entered = 0;
      for (const step of steps) {
        if (step.type === 'enter' && !turns.isFull) {
          entered += 1;
          if (turns.add(entered)) order.push(entered);
        } else if (step.type === 'leave') {
          const item = turns.items()[step.which % Math.max(1, turns.items().length)];
          if (item !== undefined) left.add(item);
          if (item !== undefined) turns.remove(item);
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

test('larger limits admit waiting items in order', () => {
  let maxConcurrent = 1;
  const turns = new FairQueue<number>({ limits: () => ({ maxConcurrent, maxQueued: 9 }), clientOf: () => undefined });
  expect([1, 2, 3, 4].map((item) => turns.add(item))).toEqual([true, false, false, false]);
  maxConcurrent = 3;
  expect(turns.add(5)).toBe(false);
  expect(granted(turns)).toEqual([2, 3]);
});

test('limits that shrink take no turn away', () => {
  let maxConcurrent = 3;
  const turns = new FairQueue<number>({ limits: () => ({ maxConcurrent, maxQueued: 9 }), clientOf: () => undefined });
  for (const item of [1, 2, 3, 4]) turns.add(item);
  maxConcurrent = 1;
  turns.remove(1);
  expect(granted(turns)).toEqual([]);
  expect(turns.active).toBe(2);
  turns.remove(2);
  turns.remove(3);
  expect(granted(turns)).toEqual([4]);
});

test('while others wait, no client has more than half of the turns, and clients take them round robin', () => {
  const limits = () => ({ maxConcurrent: 4, maxQueued: 99 });
  const turns = new FairQueue<string>({ limits, clientOf: (item) => item[0] });
  const entered = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'c1', 'b2', 'b3'].map((item) => turns.add(item));
  expect(entered).toEqual([true, true, true, false, false, false, true, false, false, false]);
  const after = (item: string): string | undefined => {
    turns.remove(item);
    return turns.next();
  };
  const next = ['a1', 'a2', 'b1', 'c1', 'b2', 'a3', 'a4'].map(after);
  // One turn stays free for a client that has none.
  expect(next).toEqual(['c1', undefined, 'a4', 'b2', 'b3', 'a5', 'a6']);
});

test('one of four or more turns is only for a client that has none', () => {
  const turnsOf = (maxConcurrent: number, client: unknown) => {
    const limits = () => ({ maxConcurrent, maxQueued: 99 });
    const turns = new FairQueue<number>({ limits, clientOf: (item) => (item === 99 ? 'another' : client) });
    for (let item = 0; item < maxConcurrent; item++) turns.add(item);
    return { active: turns.active, next: turns.add(99) };
  };
  expect(turnsOf(16, 'bob')).toEqual({ active: 15, next: true });
  expect(turnsOf(4, 'bob')).toEqual({ active: 3, next: true });
  expect(turnsOf(3, 'bob')).toEqual({ active: 3, next: false });
  expect(turnsOf(16, undefined)).toEqual({ active: 16, next: false });
});

test('in a full queue the client with the most places makes room for one with fewer', () => {
  const turns = new FairQueue<string>({
    limits: () => ({ maxConcurrent: 1, maxQueued: 4 }),
    clientOf: (item) => item[0],
  });
  for (const item of ['a1', 'a2', 'a3', 'a4', 'a5']) turns.add(item);
  expect([turns.isFullFor('a'), turns.isFullFor('b')]).toEqual([true, false]);
  expect(turns.displacedBy('b')).toBe('a5');
  turns.remove('a5');
  turns.add('b1');
  expect(turns.displacedBy('b')).toBe('a4');
  turns.remove('a4');
  turns.add('b2');
  expect([turns.isFullFor('a'), turns.isFullFor('b'), turns.displacedBy('c')]).toEqual([true, true, 'a3']);
});

const clientStep = fc.record({
  type: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'pause', 'resume'),
  client: fc.constantFrom('a', 'a', 'a', 'b', 'c', undefined),
  which: fc.nat(50),
});
const clientLimits = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 8 }),
  maxQueued: fc.integer({ min: 1, max: 9 }),
});

test('no caller starves, each is served in order, and the shares hold', () => {
  fc.assert(
    fc.property(clientLimits, fc.array(clientStep, { maxLength: 120 }), (limits, steps) => {
      const clients = new Map<number, unknown>();
      const turns = new FairQueue<number>({ limits: () => limits, clientOf: (item) => clients.get(item) });
      const active = new Set<number>();
      const queued: number[] = [];
      const paused: number[] = [];
      const half = Math.ceil(limits.maxConcurrent / 2);
      const heldBy = (client: unknown) => [...active].filter((item) => clients.get(item) === client).length;
      const placesOf = (client: unknown) => queued.filter((item) => clients.get(item) === client).length;
      let entered = 0;
      const drop = (list: number[], item: number) => list.splice(list.indexOf(item), 1);
      const grant = () => {
        for (let next = turns.next(); next !== undefined; next = turns.next()) {
          const client = clients.get(next);
          if (queued.includes(next)) {
            // The first of its client, and beyond half only if every other that waits may have none.
            expect(queued.find((item) => clients.get(item) === client)).toBe(next);
            const others = queued.map((item) => clients.get(item)).filter((other) => other !== client);
            if (heldBy(client) >= half) for (const other of others) expect(heldBy(other)).toBeGreaterThan(0);
            drop(queued, next);
          }
          active.add(next);
        }
      };
      for (const { type, client, which } of steps) {
        const own = placesOf(client);
        if (type === 'enter' && turns.isFullFor(client)) {
          // No caller has places to give: all have about as many.
          for (const other of clients.values()) expect(placesOf(other)).toBeLessThanOrEqual(own + 1);
        } else if (type === 'enter') {
          const displaced = turns.displacedBy(client);
          if (displaced !== undefined) {
            drop(queued, displaced);
            turns.remove(displaced);
          }
          clients.set(++entered, client);
          if (turns.add(entered)) active.add(entered);
          else queued.push(entered);
        } else if (type === 'leave') {
          const all = turns.items();
          const item = all[which % Math.max(1, all.length)];
          if (item === undefined) continue;
          turns.remove(item);
          active.delete(item);
          for (const list of [queued, paused]) if (list.includes(item)) drop(list, item);
        } else if (type === 'pause') {
          const item = [...active][which % Math.max(1, active.size)];
          if (item === undefined) continue;
          turns.pause(item);
          active.delete(item);
          paused.push(item);
        } else {
          const item = paused[which % Math.max(1, paused.length)];
          if (item === undefined) continue;
          drop(paused, item);
          if (turns.resume(item)) active.add(item);
        }
        grant();
        expect(turns.active).toBe(active.size);
        expect(active.size).toBeLessThanOrEqual(limits.maxConcurrent);
        expect(turns.waiting).toBe(queued.length);
        expect(queued.length).toBeLessThanOrEqual(limits.maxQueued);
        // A client without a turn waits only while all of them are taken.
        for (const item of queued) {
          if (heldBy(clients.get(item)) === 0) expect(active.size).toBe(limits.maxConcurrent);
        }
      }
      // Every waiting item gets a turn.
      for (let item = turns.items()[0]; item !== undefined; item = turns.items()[0]) {
        turns.remove(item);
        active.delete(item);
        for (const list of [queued, paused]) if (list.includes(item)) drop(list, item);
        grant();
      }
      expect([queued.length, turns.waiting, turns.active]).toEqual([0, 0, 0]);
    }),
    { numRuns: 1_000 },
  );
});

test('a paused item resumes before waiting items, once a turn is free', () => {
  const turns = new FairQueue<string>({
    limits: () => ({ maxConcurrent: 1, maxQueued: 9 }),
    clientOf: () => undefined,
  });
  for (const item of ['first', 'second', 'third']) turns.add(item);
  turns.pause('first');
  expect([turns.next(), turns.next()]).toEqual(['second', undefined]);
  expect(turns.resume('first')).toBe(false);
  expect(turns.items()).toEqual(['second', 'first', 'third']);
  turns.remove('second');
  expect(turns.next()).toBe('first');
  turns.pause('first');
  expect(turns.resume('first')).toBe(true);
  turns.remove('first');
  expect(turns.next()).toBe('third');
});

/** FairQueue of items that are named after their client: `a1` is the first of client `a`. */
function turnsOf(limits: { maxConcurrent: number; maxQueued: number }) {
  const turns = new FairQueue<string>({ limits: () => limits, clientOf: (item) => item[0] });
  return { turns, enterAll: (...items: string[]) => items.map((item) => turns.add(item)) };
}

function next(turns: FairQueue<string>, ended: string): string | undefined {
  turns.remove(ended);
  return turns.next();
}

test('a queue with room refuses and displaces nothing', () => {
  const { turns, enterAll } = turnsOf({ maxConcurrent: 1, maxQueued: 4 });
  enterAll('a1', 'a2', 'a3', 'a4');
  expect(turns.displacedBy('b')).toBeUndefined();
  expect(turns.isFullFor('b')).toBe(false);
  expect(turns.isFullFor('a')).toBe(false);
});

test('a full queue admits an item with a free turn', () => {
  const { turns, enterAll } = turnsOf({ maxConcurrent: 4, maxQueued: 2 });
  expect(enterAll('a1', 'a2', 'a3', 'a4', 'a5')).toEqual([true, true, true, false, false]);
  expect(turns.displacedBy('b')).toBeUndefined();
  expect(turns.isFullFor('b')).toBe(false);
  expect(turns.add('b1')).toBe(true);
});

test('a full queue displaces an item only for a client that then has fewer places', () => {
  const { turns, enterAll } = turnsOf({ maxConcurrent: 1, maxQueued: 3 });
  enterAll('a1', 'a2', 'a3', 'b1');
  expect(turns.displacedBy('b')).toBeUndefined();
  expect(turns.isFullFor('b')).toBe(true);
  expect(turns.displacedBy('c')).toBe('a3');
  expect(turns.isFullFor('c')).toBe(false);
});

test('clients have their turns round robin', () => {
  const { turns, enterAll } = turnsOf({ maxConcurrent: 1, maxQueued: 9 });
  enterAll('a1', 'a2', 'a3', 'b1', 'b2');
  expect([next(turns, 'a1'), next(turns, 'a2'), next(turns, 'b1'), next(turns, 'a3')]).toEqual([
    'a2',
    'b1',
    'a3',
    'b2',
  ]);
});

test('a client with half of the turns waits behind those that wait', () => {
  const limits = { maxConcurrent: 4, maxQueued: 9 };
  const { turns, enterAll } = turnsOf(limits);
  expect(enterAll('a1', 'a2', 'a3', 'b1', 'b2')).toEqual([true, true, true, true, false]);
  limits.maxConcurrent = 5;
  turns.remove('b1');
  expect(turns.add('a4')).toBe(false);
  expect(turns.next()).toBe('b2');
});

test('an item that wants its turn again comes before new ones, and after those that wanted theirs before', () => {
  const { turns, enterAll } = turnsOf({ maxConcurrent: 1, maxQueued: 9 });
  enterAll('a1', 'b1');
  turns.pause('a1');
  expect(turns.next()).toBe('b1');
  expect(turns.resume('a1')).toBe(false);
  turns.pause('b1');
  expect(turns.add('c1')).toBe(false);
  expect(turns.resume('b1')).toBe(false);
  expect(turns.next()).toBe('a1');
  turns.pause('a1');
  turns.remove('b1');
  expect(turns.next()).toBe('c1');
});

test('an item that is removed while it waits to resume gets no turn', () => {
  const { turns, enterAll } = turnsOf({ maxConcurrent: 1, maxQueued: 9 });
  enterAll('a1', 'b1');
  turns.pause('a1');
  turns.next();
  turns.resume('a1');
  turns.remove('a1');
  expect(next(turns, 'b1')).toBeUndefined();
  expect(turns.items()).toEqual([]);
});

test('an item that has its turn again at once counts', () => {
  const { turns } = turnsOf({ maxConcurrent: 1, maxQueued: 9 });
  turns.add('a1');
  turns.pause('a1');
  expect(turns.active).toBe(0);
  expect(turns.resume('a1')).toBe(true);
  expect(turns.active).toBe(1);
});
