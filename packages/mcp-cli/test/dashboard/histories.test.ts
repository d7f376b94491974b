import type { AuditEvent } from '@x/mcp-registry/audit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallHistory } from '../../src/dashboard/call-history.js';
import { keptSamples } from '../../src/dashboard/kept-samples.js';
import { HealthHistory } from '../../src/dashboard/known-servers.js';
import type { CallView } from '../../src/dashboard/page-messages.js';

function event(call: number, fields: object): AuditEvent {
  const shape = { known: {}, others: 0 };
  const base = { time: '2026-01-02T03:04:05.000Z', action: 'call', decision: 'allowed', argumentShape: shape };
  return { ...base, call, name: 'mcp__echo__echo', server: 'echo', tool: 'echo', ...fields } as AuditEvent;
}

test('the start and end of a call are one entry', () => {
  const history = new CallHistory();
  const told: CallView[] = [];
  using _listening = history.onCall((call) => told.push(call));
  history.sink(event(1, { outcome: 'started' }));
  history.sink(event(1, { outcome: 'failed', error: 'timed-out', durationMs: 12 }));
  const at = Date.parse('2026-01-02T03:04:05.000Z');
  const call = { id: 1, at, tool: 'mcp__echo__echo', server: 'echo' };
  expect(told).toEqual([
    { ...call, outcome: 'running' },
    { ...call, outcome: 'failed', error: 'timed-out', durationMs: 12 },
  ]);
  expect(history.list()).toEqual(told.slice(1));
});

test('a refused call is reported at once; other events never', () => {
  const history = new CallHistory();
  history.sink(event(1, { decision: 'denied', role: 'review' }));
  history.sink({ ...event(2, {}), action: 'describe' } as AuditEvent);
  expect(history.list()).toMatchObject([{ outcome: 'refused', role: 'review' }]);
});

test('calls of two registries with the same number stay apart after a reload', () => {
  const history = new CallHistory();
  history.sink(event(1, { outcome: 'started' }));
  history.sink(event(1, { outcome: 'started', name: 'mcp__other__tool' }));
  history.sink(event(1, { outcome: 'ok', name: 'mcp__other__tool' }));
  history.sink(event(1, { outcome: 'tool-error' }));
  expect(history.list().map(({ id, tool, outcome }) => [id, tool, outcome])).toEqual([
    [1, 'mcp__echo__echo', 'tool-error'],
    [2, 'mcp__other__tool', 'ok'],
  ]);
});

test('the requested name is stored in a bounded length', () => {
  const history = new CallHistory();
  history.sink(
    event(1, { name: 'x'.repeat(100_000), role: 'y'.repeat(100_000), client: 'z'.repeat(100_000), outcome: 'ok' }),
  );
  expect(history.list()[0]?.tool).toHaveLength(200);
  expect(history.list()[0]?.role).toHaveLength(200);
  expect(history.list()[0]?.client).toHaveLength(200);
});

test('only the latest 200 calls are kept', () => {
  const history = new CallHistory();
  for (let call = 1; call <= 1_000; call += 1) history.sink(event(call, { outcome: 'ok' }));
  expect(history.list()).toHaveLength(200);
  expect(history.list().at(-1)?.id).toBe(1_000);
});

test('a call that ends after 200 later ones has the time of its start', () => {
  const history = new CallHistory();
  history.sink(event(1, { outcome: 'started' }));
  for (let call = 2; call <= 201; call += 1) history.sink(event(call, { outcome: 'ok' }));
  history.sink(event(1, { outcome: 'ok', time: '2026-01-02T03:14:05.000Z', durationMs: 600_000 }));
  expect(history.list().at(-1)).toMatchObject({ id: 1, at: Date.parse('2026-01-02T03:04:05.000Z') });
});

test('a repeated sample is not stored', () => {
  const history = new HealthHistory();
  const running = { state: 'running', health: 'healthy', memoryBytes: 7 } as const;
  for (let at = 0; at < 5; at += 1) history.add('echo', { at, ...running });
  expect(history.add('echo', { at: 4, ...running })).toBe(false);
  expect(history.add('echo', { at: 5, ...running, memoryBytes: 8 })).toBe(true);
  expect(history.all().echo?.map(({ at }) => at)).toEqual([0, 5]);
});

test('keeps the latest 120 samples of each server, for any name', () => {
  const history = new HealthHistory();
  for (let at = 0; at < 500; at += 1)
    history.add('__proto__', { at, state: at % 2 ? 'running' : 'starting', health: 'unknown' });
  const samples = Object.entries(history.all());
  expect(samples.map(([name, { length }]) => [name, length])).toEqual([['__proto__', 120]]);
  history.remove('__proto__');
  expect(history.all()).toEqual({});
});

test('hours of memory fit: old samples become sparse, and every change of state stays', () => {
  const history = new HealthHistory();
  const minute = 60_000;
  for (let count = 0; count < 1_000; count += 1) {
    const state = count === 100 || count === 500 ? 'failed' : 'running';
    history.add('echo', { at: count * minute, state, health: 'unknown', memoryBytes: count });
  }
  const samples = history.all().echo ?? [];
  expect(samples).toHaveLength(120);
  expect(samples[0]?.at).toBe(0);
  expect(samples.at(-1)?.at).toBe(999 * minute);
  expect(samples.filter(({ state }) => state === 'failed').map(({ at }) => at / minute)).toEqual([100, 500]);
  const ages = samples.map(({ at }) => at);
  expect(ages).toEqual(ages.toSorted((one, other) => one - other));
  const gaps = ages.slice(1).map((at, index) => (at - (ages[index] as number)) / minute);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(64);
  expect(gaps.at(-1)).toBe(1);
});

test('of any samples at most 120 are kept, in their order, the latest among them', () => {
  const anySample = fc.record({
    state: fc.constantFrom('running', 'failed'),
    health: fc.constant('unknown' as const),
    memoryBytes: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(anySample, { maxLength: 200 }), (all) => {
      const samples = all.map((sample, at) => ({ at, ...sample }));
      const kept = keptSamples(samples);
      expect(kept.length).toBe(Math.min(samples.length, 120));
      expect(kept.at(-1)).toBe(samples.at(-1));
      expect(kept).toEqual(samples.filter((sample) => kept.includes(sample)));
    }),
  );
});
