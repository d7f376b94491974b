import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Happening, Happenings } from '../../src/dashboard/happening.js';
import type { ServerView } from '../../src/dashboard/page-messages.js';

const server = (name: string, restarts = 0) => ({ name, restarts }) as ServerView;
const sample = (at: number) => ({ at, state: 'running', health: 'unknown' }) as const;

test('of each server the latest view is kept, and every sample', () => {
  const happenings = new Happenings();
  happenings.add({ type: 'server', server: server('echo', 1), sample: sample(1) });
  happenings.add({ type: 'server', server: server('echo', 2), sample: sample(2) });
  happenings.add({ type: 'server', server: server('echo', 3) });
  expect(happenings.take(7)).toEqual({
    at: 7,
    removed: [],
    servers: [server('echo', 3)],
    samples: { echo: [sample(1), sample(2)] },
    calls: [],
  });
  expect(happenings.take(8)).toEqual({ at: 8, removed: [], servers: [], samples: {}, calls: [] });
});

test('a server that is taken out and comes back is told as both, so that its earlier history is forgotten', () => {
  const happenings = new Happenings();
  happenings.add({ type: 'server', server: server('echo', 1), sample: sample(1) });
  happenings.add({ type: 'server-removed', name: 'echo' });
  expect(happenings.take(0)).toMatchObject({ removed: ['echo'], servers: [], samples: {} });
  happenings.add({ type: 'server-removed', name: 'echo' });
  happenings.add({ type: 'server', server: server('echo'), sample: sample(2) });
  expect(happenings.take(0)).toMatchObject({
    removed: ['echo'],
    servers: [server('echo')],
    samples: { echo: [sample(2)] },
  });
});

test('whatever happens, what is collected stays bounded', () => {
  const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
    fc.nat(3).map((at): Happening => ({ type: 'server', server: server(`s${at}`), sample: sample(at) })),
    fc.nat(3).map((id): Happening => ({ type: 'server-removed', name: `s${id}` })),
    fc.nat(10_000).map((id): Happening => ({ type: 'call', call: { id, at: 0, tool: 't', outcome: 'ok' } })),
  );
  fc.assert(
    fc.property(fc.array(anyHappening, { maxLength: 2_000, size: 'max' }), (all) => {
      const happenings = new Happenings();
      for (const happening of all) happenings.add(happening);
      const { servers, samples, calls } = happenings.take(0);
      expect(servers.length).toBeLessThanOrEqual(4);
      expect(calls.length).toBeLessThanOrEqual(200);
      for (const each of Object.values(samples)) expect(each.length).toBeLessThanOrEqual(120);
    }),
    { numRuns: 30 },
  );
});
