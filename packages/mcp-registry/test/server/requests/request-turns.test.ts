import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestTurns } from '../../../src/server/requests/request-turns.js';

function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('requests begin at once while the event loop is not kept busy', () => {
  const turns = new RequestTurns();
  for (let count = 0; count < 10; count++) expect(turns.take('alice')).toBeUndefined();
});

test('a request of another caller begins after one of a caller that sent many', async () => {
  const turns = new RequestTurns();
  turns.take('bob');
  blockFor(20);
  const order: string[] = [];
  const begin = async (caller: string) => {
    await turns.take(caller);
    order.push(caller);
    blockFor(20);
  };
  const all = Array.from({ length: 10 }, () => begin('bob'));
  all.push(begin('alice'));
  await Promise.all(all);
  expect(order.indexOf('alice')).toBe(1);
  expect(order).toHaveLength(11);
});

test('timers and sockets have their turn between two requests', async () => {
  const turns = new RequestTurns();
  turns.take('bob');
  blockFor(20);
  let begun = 0;
  let begunBefore = -1;
  const all = Array.from({ length: 10 }, async () => {
    await turns.take('bob');
    begun++;
    blockFor(5);
  });
  setTimeout(() => (begunBefore = begun), 0);
  await Promise.all(all);
  expect(begunBefore).toBeGreaterThanOrEqual(0);
  expect(begunBefore).toBeLessThan(10);
});

test('whoever sends what, every request begins, and those of one caller in their order', async () => {
  const callers = fc.array(fc.constantFrom('a', 'a', 'b', 'c'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(callers, async (requests) => {
      const turns = new RequestTurns();
      turns.take('x');
      blockFor(17);
      const begun: { caller: string; index: number }[] = [];
      await Promise.all(
        requests.map(async (caller, index) => {
          await turns.take(caller);
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
