import { describe, expect, test } from 'vitest';
import { makeCall } from '../chaos/callers.mjs';
import { countFaults, countOutcomes } from '../chaos/ledger.mjs';
import { faultWeights, planChaos, ways } from '../chaos/plan.mjs';

const servers = ['a', 'b', 'c'];

describe('the plan of a run', () => {
  test('depends on the seed alone', () => {
    const options = { seconds: 60, servers };
    expect(planChaos({ ...options, seed: 7 })).toEqual(planChaos({ ...options, seed: 7 }));
    expect(planChaos({ ...options, seed: 7 })).not.toEqual(planChaos({ ...options, seed: 8 }));
  });

  test('has 48 calls and one fault a second, in the order of their times', () => {
    const { calls, faults } = planChaos({ seed: 1, seconds: 100, servers });
    expect(calls.length).toBe(4_800);
    expect(faults.length).toBe(100);
    for (const steps of [calls, faults]) {
      const times = steps.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((left, right) => left - right));
      expect(times.every((atMs) => atMs >= 0 && atMs < 100_000)).toBe(true);
    }
  });

  test('has an id of its own for each call, and each way for a third of them', () => {
    const { calls } = planChaos({ seed: 1, seconds: 100, servers });
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    for (const way of ways) expect(calls.filter((call) => call.way === way).length).toBe(1_600);
  });

  test('has every kind of fault as often as its weight says', () => {
    const { faults } = planChaos({ seed: 1, seconds: 20_000, servers });
    const all = Object.values(faultWeights).reduce((sum, parts) => sum + parts, 0);
    for (const [kind, parts] of Object.entries(faultWeights)) {
      const share = faults.filter((fault) => fault.kind === kind).length / faults.length;
      expect(Math.abs(share - parts / all), kind).toBeLessThan(0.01);
    }
    expect(new Set(faults.map(({ server }) => server))).toEqual(new Set(servers));
    const pauses = faults.map(({ forMs }) => forMs);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...pauses)).toBeLessThan(15_000);
  });
});

describe('the ledger', () => {
  const ok = { id: '1', server: 'a', way: 'manager', outcome: 'ok', text: 'a 1' };
  const failed = { id: '1', server: 'a', way: 'manager', outcome: 'failed', code: 'outcome-unknown', retryable: false };
  const none = { lost: 0, repeated: 0, wrong: 0, retryableButDone: 0 };

  test.each([
    ['an answer to a call that was done once', [ok], ['a 1'], {}],
    ['a failure of a call that was done once', [failed], ['a 1'], {}],
    ['a failure of a call that was not done', [{ ...failed, code: 'busy', retryable: true }], [], {}],
    ['a call without an answer', [{ ...ok, outcome: 'lost' }], ['a 1'], { lost: 1 }],
    ['a call that was done twice', [ok], ['a 1', 'a 1'], { repeated: 1 }],
    ['a call that failed and was done twice', [failed], ['a 1', 'a 1'], { repeated: 1 }],
    ['the answer of another call', [{ ...ok, text: 'a 2' }], ['a 1'], { wrong: 1 }],
    ['an answer to a call that was not done', [ok], [], { wrong: 1 }],
    ['a call that reached another server, too', [ok], ['a 1', 'b 1'], { wrong: 1 }],
    ['a call that may be retried and was done', [{ ...failed, retryable: true }], ['a 1'], { retryableButDone: 1 }],
  ])('judges %s', (_what, records, effects, expected) => {
    expect(countFaults(records, effects)).toEqual({ ...none, ...expected });
  });

  test('counts how calls ended, most first', () => {
    expect(countOutcomes([failed, ok, { ...ok, outcome: 'lost' }, ok])).toEqual([
      ['ok', 2],
      ['outcome-unknown', 1],
      ['lost', 1],
    ]);
  });
});

describe('a call', () => {
  const call = { id: '1', server: 'a', way: 'gateway', workMs: 1 };
  const failure = { reason: 'busy', retryable: true };
  const busy = { outcome: 'failed', code: 'busy', retryable: true };

  test.each([
    [
      'an error of the manager',
      () => Promise.reject(Object.assign(new Error('busy'), { code: 'busy', retryable: true })),
    ],
    ['an error result of the gateway', async () => ({ isError: true, _meta: { 'mcp-registry/failure': failure } })],
  ])('that failed is recorded with what it says of another attempt: %s', async (_what, gateway) => {
    expect(await makeCall({ gateway }, call)).toMatchObject(busy);
  });
});
