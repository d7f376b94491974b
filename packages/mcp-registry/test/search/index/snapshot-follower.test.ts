import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { Catalog } from '../../../src/catalog/catalog.js';
import { EMPTY_SNAPSHOT, type Snapshot } from '../../../src/catalog/snapshot.js';
import { createRegistry } from '../../../src/registry.js';
import { diffDocuments, SnapshotFollower } from '../../../src/search/index/snapshot-follower.js';

const COUNT = 100;

/** Learns one name a step, and a step takes a millisecond. */
async function follow() {
  const catalog = new Catalog();
  const source = createListSource(
    's',
    Array.from({ length: COUNT }, (_, index) => tool(`t${index}`)),
  );
  await catalog.attach(source).ready;
  const indexed = new Set<string>();
  let steps = 0;
  function* update(before: Snapshot, after: Snapshot) {
    const { removed, added } = diffDocuments(before, after);
    for (const [list, isHere] of [[removed, false] as const, [added, true] as const]) {
      for (const { view } of list) {
        if (isHere) indexed.add(view.name);
        else indexed.delete(view.name);
        steps++;
        yield;
      }
    }
  }
  const follower = new SnapshotFollower(update, () => steps);
  const read = (throwIfOver = () => {}) =>
    follower.whenCurrent({ current: () => catalog.current, throwIfOver }, (snapshot) => {
      expect([...indexed].toSorted()).toEqual(snapshot.tools.map(({ name }) => name));
      return indexed.size;
    });
  return { catalog, source, read, steps: () => steps };
}

test('a large update takes turns, and a waiting caller gets all of it', async () => {
  const { read, steps } = await follow();
  const atTurns: number[] = [];
  const timer = setInterval(() => atTurns.push(steps()), 0);
  expect(await read()).toBe(COUNT);
  clearInterval(timer);
  expect(atTurns.length).toBeGreaterThan(2);
});

test('waiting callers share the work and its turns', async () => {
  const { read, steps } = await follow();
  const reads = Array.from({ length: 20 }, () => read());
  expect(steps()).toBeLessThan(20);
  expect(await Promise.all(reads)).toEqual(reads.map(() => COUNT));
  expect(steps()).toBe(COUNT);
});

test('changes during an update are included before any response', async () => {
  const { source, read } = await follow();
  const reads = [read(), read()];
  source.offer([tool('t1'), tool('t2', { description: 'other' }), tool('new')]);
  expect(await Promise.all(reads)).toEqual([3, 3]);
});

test('work pauses when no caller waits, and nothing is done twice afterwards', async () => {
  const { read, steps } = await follow();
  const given = new AbortController();
  const waiting = read(() => given.signal.throwIfAborted());
  given.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  const done = steps();
  expect(done).toBeLessThan(COUNT);
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps()).toBe(done);
  expect(await read()).toBe(COUNT);
  expect(steps()).toBe(COUNT);
});

test('a registry that closes ends the searches that wait', async () => {
  const registry = createRegistry();
  const description = 'A word that is long enough to take its time. '.repeat(30);
  const tools = Array.from({ length: 2_000 }, (_, index) =>
    tool(`t${index}`, { description: `${index} ${description}` }),
  );
  await registry.attach(createListSource('s', tools)).ready;
  const search = registry.search({ query: 'word' });
  void registry.close();
  await expect(search).rejects.toMatchObject({ code: 'closed' });
});

test('an update without changes completes at once', async () => {
  const follower = new SnapshotFollower(() => [].values());
  expect(await follower.whenCurrent({ current: () => EMPTY_SNAPSHOT, throwIfOver: () => {} }, () => 'here')).toBe(
    'here',
  );
});
