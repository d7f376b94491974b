import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallView, UsageRow } from '../../src/dashboard/page-messages.js';
import { UsageStore } from '../../src/dashboard/usage-store.js';

const minute = 60_000;

/** A store with a clock that the test moves. */
function stage() {
  let told: (call: CallView) => void = () => undefined;
  const clock = { now: 1_800_000_000_000 };
  const onCall = (listener: (call: CallView) => void): Disposable => {
    told = listener;
    return { [Symbol.dispose]: () => undefined };
  };
  const usage = new UsageStore({ onCall }, () => clock.now);
  const call = (fields: Partial<CallView> = {}): void =>
    told({ id: 1, at: 0, tool: 'mcp__echo__echo', server: 'echo', outcome: 'ok', durationMs: 10, ...fields });
  return { usage, clock, call };
}

const named = (rows: readonly UsageRow[]) => rows.map(({ name, calls }) => [name, calls]);

test('counts calls by server, tool, client and role, most calls first', () => {
  const { usage, call } = stage();
  call({ client: 'editor 1', role: 'review' });
  call({ server: 'files', tool: 'mcp__files__read', client: 'editor 1', outcome: 'tool-error' });
  call({ server: 'files', tool: 'mcp__files__read', outcome: 'failed' });
  call({ server: 'files', tool: 'mcp__files__read', outcome: 'refused', role: 'review', durationMs: undefined });
  call({ outcome: 'running', durationMs: undefined });
  const report = usage.report('1h');
  expect(report.total).toMatchObject({ calls: 3, errors: 2, refused: 1 });
  expect(report.servers).toMatchObject([
    { name: 'files', calls: 2, errors: 2, refused: 1 },
    { name: 'echo', calls: 1, errors: 0, refused: 0 },
  ]);
  expect(named(report.tools)).toEqual([
    ['mcp__files__read', 2],
    ['mcp__echo__echo', 1],
  ]);
  expect(named(report.clients)).toEqual([['editor 1', 2]]);
  expect(report.roles).toMatchObject([{ name: 'review', calls: 1, refused: 1 }]);
});

test('a span ends with the current time slot, and forgets what is older', () => {
  const { usage, clock, call } = stage();
  call();
  clock.now += 4 * minute;
  call();
  call();
  const { points, slotMs, servers } = usage.report('5m');
  expect(slotMs).toBe(10_000);
  expect(points).toHaveLength(30);
  expect(points.map(({ calls }) => calls).filter((calls) => calls > 0)).toEqual([1, 2]);
  expect(points.at(-1)?.calls).toBe(2);
  expect(servers[0]?.points?.at(-1)).toBe(2);
  clock.now += 2 * minute;
  expect(usage.report('5m').total.calls).toBe(2);
  clock.now += 10 * minute;
  expect(usage.report('5m')).toMatchObject({ total: { calls: 0 }, servers: [] });
  expect(usage.report('1h').total.calls).toBe(3);
  clock.now += 23 * 60 * minute;
  expect(usage.report('1h').total.calls).toBe(0);
  expect(usage.report('24h').total.calls).toBe(3);
  clock.now += 60 * minute;
  expect(usage.report('24h').total.calls).toBe(0);
});

test('a clock that is set back loses no later count and throws nothing', () => {
  const { usage, clock, call } = stage();
  call();
  clock.now -= 90 * minute;
  call();
  expect(usage.report('1h').total.calls).toBe(1);
  clock.now += 90 * minute;
  expect(usage.report('1h').total.calls).toBeLessThanOrEqual(1);
});

test('names beyond the limit count as others, and unused names make room after a day', () => {
  const { usage, clock, call } = stage();
  for (let index = 0; index < 1_000; index += 1) call({ client: `client ${index}` });
  const { clients } = usage.report('24h');
  expect(clients).toHaveLength(65);
  expect(clients.at(-1)).toMatchObject({ calls: 936 });
  expect(clients.at(-1)).not.toHaveProperty('name');
  clock.now += 25 * 60 * minute;
  call({ client: 'fresh' });
  expect(named(usage.report('24h').clients)).toEqual([['fresh', 1]]);
});

test('refused names of tools that do not exist take no room', () => {
  const { usage, call } = stage();
  for (let index = 0; index < 1_000; index += 1) {
    call({ tool: `guess ${index}`, server: undefined, outcome: 'refused', durationMs: undefined });
  }
  expect(usage.report('5m')).toMatchObject({ tools: [], total: { calls: 0, refused: 1_000 } });
});

test('quantiles are within 70 % of the exact ones', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 300 }), (durations) => {
      const { usage, call } = stage();
      for (const durationMs of durations) call({ durationMs });
      const sorted = durations.toSorted((one, other) => one - other);
      const exact = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] as number;
      const { p50Ms = 0, p95Ms = 0 } = usage.report('5m').total;
      for (const [share, estimated] of [
        [0.5, p50Ms],
        [0.95, p95Ms],
      ] as const) {
        expect(Math.max(estimated / exact(share), exact(share) / estimated)).toBeLessThanOrEqual(1.75); // rounded
      }
    }),
  );
});
