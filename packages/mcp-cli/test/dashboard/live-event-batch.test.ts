import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveEventBatch } from '../../src/dashboard/live-feed.js';
import type { ServerView } from '../../src/dashboard/page-messages.js';
import type { LiveEvent } from '../../src/dashboard/recorder.js';

const server = (name: string, restarts = 0) => ({ name, restarts }) as ServerView;
const sample = (at: number) => ({ at, state: 'running', health: 'unknown' }) as const;

test('the latest view and every sample of each server are kept', () => {
  const batch = new LiveEventBatch();
  batch.add({ type: 'server', server: server('echo', 1), sample: sample(1) });
  batch.add({ type: 'server', server: server('echo', 2), sample: sample(2) });
  batch.add({ type: 'server', server: server('echo', 3) });
  expect(batch.drain(7)).toEqual({
    at: 7,
    removed: [],
    servers: [server('echo', 3)],
    samples: { echo: [sample(1), sample(2)] },
    calls: [],
  });
  expect(batch.drain(8)).toEqual({ at: 8, removed: [], servers: [], samples: {}, calls: [] });
});

test('a removed and re-added server is reported as both, so that its earlier history is dropped', () => {
  const batch = new LiveEventBatch();
  batch.add({ type: 'server', server: server('echo', 1), sample: sample(1) });
  batch.add({ type: 'server-removed', name: 'echo' });
  expect(batch.drain(0)).toMatchObject({ removed: ['echo'], servers: [], samples: {} });
  batch.add({ type: 'server-removed', name: 'echo' });
  batch.add({ type: 'server', server: server('echo'), sample: sample(2) });
  expect(batch.drain(0)).toMatchObject({
    removed: ['echo'],
    servers: [server('echo')],
    samples: { echo: [sample(2)] },
  });
});

test('the batch stays bounded for any events', () => {
  const anyEvent: fc.Arbitrary<LiveEvent> = fc.oneof(
    fc.nat(3).map((at): LiveEvent => ({ type: 'server', server: server(`s${at}`), sample: sample(at) })),
    fc.nat(3).map((id): LiveEvent => ({ type: 'server-removed', name: `s${id}` })),
    fc.nat(10_000).map((id): LiveEvent => ({ type: 'call', call: { id, at: 0, tool: 't', outcome: 'ok' } })),
  );
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 2_000, size: 'max' }), (all) => {
      const batch = new LiveEventBatch();
      for (const event of all) batch.add(event);
      const { servers, samples, calls } = batch.drain(0);
      expect(servers.length).toBeLessThanOrEqual(4);
      expect(calls.length).toBeLessThanOrEqual(200);
      for (const each of Object.values(samples)) expect(each.length).toBeLessThanOrEqual(120);
    }),
    { numRuns: 30 },
  );
});
