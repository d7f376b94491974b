import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallerTurns } from '../../src/server/caller-turns.js';

function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('requests start at once while the event loop is idle', () => {
  const turns = new CallerTurns();
  for (let count = 0; count < 10; count++) expect(turns.acquire('alice')).toBeUndefined();
});

test('a request starts after one of a caller that sent many', async () => {
  const turns = new CallerTurns();
  turns.acquire('bob');
  blockFor(20);
  const order: string[] = [];
  const begin = async (caller: string) => {
    await turns.acquire(caller);
    order.push(caller);
    blockFor(20);
  };
  const all = Array.from({ length: 10 }, () => begin('bob'));
  all.push(begin('alice'));
  await Promise.all(all);
  expect(order.indexOf('alice')).toBe(1);
  expect(order).toHaveLength(11);
});

test('a caller with little work does not wait for each piece of one with much', async () => {
  const turns = new CallerTurns();
  turns.acquire('bob');
  blockFor(20);
  const order: string[] = [];
  const begin = async (caller: string, ms: number) => {
    await turns.acquire(caller);
    order.push(caller);
    blockFor(ms);
  };
  const heavy = Array.from({ length: 10 }, () => begin('bob', 10));
  const light = Array.from({ length: 10 }, () => begin('alice', 0));
  await Promise.all([...heavy, ...light]);
  const before = order.slice(0, order.lastIndexOf('alice')).filter((caller) => caller === 'bob');
  expect(before.length).toBeLessThan(5);
});

test('the event loop turns many times between two turns with work, so that connections are accepted', async () => {
  const turns = new CallerTurns();
  turns.acquire('bob');
  blockFor(20);
  let loops = 0;
  let isOver = false;
  const count = () => {
    loops++;
    if (!isOver) setImmediate(count);
  };
  count();
  const begunAt = await Promise.all(
    Array.from({ length: 3 }, async () => {
      await turns.acquire('bob');
      blockFor(10);
      return loops;
    }),
  );
  isOver = true;
  const [first = 0, second = 0, third = 0] = begunAt;
  expect(second - first).toBeGreaterThan(30);
  expect(third - second).toBeGreaterThan(30);
});

test('timers and sockets run between two requests', async () => {
  const turns = new CallerTurns();
  turns.acquire('bob');
  blockFor(20);
  let begun = 0;
  let begunBefore = -1;
  const all = Array.from({ length: 10 }, async () => {
    await turns.acquire('bob');
    begun++;
    blockFor(5);
  });
  setTimeout(() => (begunBefore = begun), 0);
  await Promise.all(all);
  expect(begunBefore).toBeGreaterThanOrEqual(0);
  expect(begunBefore).toBeLessThan(10);
});

test('every request of any caller starts, and those of one caller start in order', async () => {
  const callers = fc.array(fc.constantFrom('a', 'a', 'b', 'c'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(callers, async (requests) => {
      const turns = new CallerTurns();
      turns.acquire('x');
      blockFor(17);
      const begun: { caller: string; index: number }[] = [];
      await Promise.all(
        requests.map(async (caller, index) => {
          await turns.acquire(caller);
          begun.push({ caller, index });
        }),
      );
      expect(begun).toHaveLength(requests.length);
      for (const each of ['a', 'b', 'c']) {
        const own = begun.filter(({ caller }) => caller === each).map(({ index }) => index);
        expect(own).toEqual(own.toSorted((one, other) => one - other));
      }
    }),
    { numRuns: 50 },
  );
});
