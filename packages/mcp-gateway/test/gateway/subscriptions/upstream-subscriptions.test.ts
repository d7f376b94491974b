import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Subscriptions } from '../../../src/gateway/subscriptions/upstream-subscriptions.js';
import { createPlainUpstream } from '../helpers/plain-upstream.js';

const never = new AbortController().signal;

function watched() {
  const asked: string[] = [];
  const active = new Set<string>();
  const upstream = createPlainUpstream('one');
  upstream.subscribeResource = async (uri) => {
    asked.push(`+${uri}`);
    active.add(uri);
  };
  upstream.unsubscribeResource = async (uri) => {
    asked.push(`-${uri}`);
    active.delete(uri);
  };
  return { upstream, asked, active };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('subscribes once at a server, until the last subscriber leaves', async () => {
  const { upstream, asked } = watched();
  const subscriptions = new Subscriptions(() => {});
  const [first, second] = await Promise.all([
    subscriptions.subscribe(upstream, 'a', { signal: never }),
    subscriptions.subscribe(upstream, 'a', { signal: never }),
  ]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await settled();
  expect(asked).toEqual(['+a']);
  second[Symbol.dispose]();
  await settled();
  expect(asked).toEqual(['+a', '-a']);
});

test('after any sequence of subscribers, the subscriptions at a server match the remaining ones', async () => {
  const step = fc.record({ uri: fc.constantFrom('a', 'b'), isHeld: fc.boolean(), waits: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { upstream, active } = watched();
      const subscriptions = new Subscriptions(() => {});
      const held: { uri: string; hold: Promise<Disposable> }[] = [];
      for (const { uri, isHeld, waits } of steps) {
        const index = held.findIndex((each) => each.uri === uri);
        if (isHeld) held.push({ uri, hold: subscriptions.subscribe(upstream, uri, { signal: never }) });
        else if (index !== -1) held.splice(index, 1)[0]?.hold.then((hold) => hold[Symbol.dispose]());
        if (waits) await settled();
      }
      await settled();
      expect([...active].toSorted()).toEqual([...new Set(held.map(({ uri }) => uri))].toSorted());
    }),
    { numRuns: 50 },
  );
});

test('the error of a server reaches all waiting subscribers, and is not cached', async () => {
  const { upstream, asked } = watched();
  const subscribe = upstream.subscribeResource;
  upstream.subscribeResource = () => Promise.reject(new Error('Not that one'));
  const subscriptions = new Subscriptions(() => {});
  const both = await Promise.allSettled([
    subscriptions.subscribe(upstream, 'a', { signal: never }),
    subscriptions.subscribe(upstream, 'a', { signal: never }),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  upstream.subscribeResource = subscribe;
  await subscriptions.subscribe(upstream, 'a', { signal: never });
  expect(asked).toEqual(['+a']);
});

test('a subscriber that stops waiting leaves nothing behind', async () => {
  const { upstream, asked } = watched();
  let take = () => {};
  upstream.subscribeResource = () => new Promise((resolve) => (take = resolve));
  const subscriptions = new Subscriptions(() => {});
  const giveUp = new AbortController();
  const held = subscriptions.subscribe(upstream, 'a', { signal: giveUp.signal });
  await settled();
  giveUp.abort(new Error('enough'));
  await expect(held).rejects.toThrow('enough');
  take();
  await settled();
  expect(asked).toEqual(['-a']);
});
