import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { resolveSpec } from '../../../src/resolve-spec.js';
import type { Session } from '../../../src/session/session.js';
import { HealthMonitor } from '../../../src/supervisor/health/health-monitor.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A session of which only its life is asked. */
class WatchedSession
  implements Pick<Session, 'isOpen' | 'callsInFlight' | 'lastMessageAt' | 'lastByteAt' | 'checkAlive'>
{
  isOpen = true;
  callsInFlight = 0;
  lastMessageAt = performance.now();
  lastByteAt = performance.now();
  readonly checks: number[] = [];
  isAlive: boolean | 'frozen' = true;

  async checkAlive({ signal }: { signal: AbortSignal }): Promise<void> {
    this.checks.push(performance.now());
    if (this.isAlive === 'frozen')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (!this.isAlive) throw new Error('silent');
    this.lastMessageAt = performance.now();
    this.lastByteAt = performance.now();
  }

  get asSession(): Session {
    return this as unknown as Session;
  }
}

const unused = { onStartCheck: () => undefined, redact: (text: string) => text };

function monitorOf(session: WatchedSession, intervalMs = 10_000) {
  const verdicts: string[] = [];
  const checked: boolean[] = [];
  const frozen: number[] = [];
  const server = resolveSpec({ name: 'echo', command: 'echo', health: { intervalMs } });
  const monitor = new HealthMonitor(server, {
    mayCall: () => true,
    onChecked: (isAlive) => checked.push(isAlive),
    onFrozen: () => frozen.push(performance.now()),
    onVerdict: (verdict) => verdicts.push(verdict),
    ...unused,
  });
  monitor.start(session.asSession);
  return { monitor, verdicts, checked, frozen };
}

test('checks come at the interval, give or take a tenth', async () => {
  const session = new WatchedSession();
  const { monitor, verdicts } = monitorOf(session, 100_000);
  await vi.advanceTimersByTimeAsync(89_000);
  expect(session.checks).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(21_000);
  expect(session.checks).toHaveLength(1);
  expect(verdicts).toEqual(['healthy']);
  expect(monitor.checkedAt).toBeLessThanOrEqual(Date.now());
});

test('a recent message replaces a health check', async () => {
  const session = new WatchedSession();
  const { checked, verdicts } = monitorOf(session);
  for (let seconds = 0; seconds < 100; seconds += 1) {
    session.lastMessageAt = performance.now();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(session.checks).toEqual([]);
  expect(checked.length).toBeGreaterThanOrEqual(9);
  expect(new Set(checked)).toEqual(new Set([true]));
  expect(verdicts).toEqual(['healthy']);
});

test('a server that is silent and busy is unhealthy, and nothing else follows from that', async () => {
  const session = new WatchedSession();
  session.isAlive = false;
  session.callsInFlight = 1;
  session.lastMessageAt -= 60_000;
  const { checked, verdicts } = monitorOf(session);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(verdicts).toEqual(['unhealthy']);
  expect(checked.filter((isAlive) => !isAlive)).toEqual([]);
});

test('another interval counts from when it is set', async () => {
  const session = new WatchedSession();
  const { monitor } = monitorOf(session, 300_000);
  monitor.update(resolveSpec({ name: 'echo', command: 'echo', health: { intervalMs: 20_000 } }));
  await vi.advanceTimersByTimeAsync(22_000);
  expect(session.checks).toHaveLength(1);
});

test('checks on request join the check in progress, and only periodic checks count misses', async () => {
  const session = new WatchedSession();
  const { monitor, checked, verdicts } = monitorOf(session);
  session.isAlive = false;
  expect(await Promise.all([monitor.checkNow(), monitor.checkNow(), monitor.checkNow()])).toEqual([
    false,
    false,
    false,
  ]);
  expect(session.checks).toHaveLength(1);
  expect({ checked, verdicts }).toEqual({ checked: [], verdicts: ['unhealthy'] });
  session.lastMessageAt -= 60_000;
  await vi.advanceTimersByTimeAsync(11_000);
  expect(checked).toEqual([false]);
  session.isAlive = true;
  expect(await monitor.checkNow()).toBe(true);
  expect(checked).toEqual([false, true]);
});

test('an aborted wait does not end a check that others wait for', async () => {
  const session = new WatchedSession();
  const { monitor } = monitorOf(session);
  const end = new AbortController();
  const reason = new Error('enough');
  const checks = Promise.allSettled([monitor.checkNow({ signal: end.signal }), monitor.checkNow()]);
  end.abort(reason);
  expect(await checks).toEqual([
    { status: 'rejected', reason },
    { status: 'fulfilled', value: true },
  ]);
});

test('after stop nothing is checked and nothing is left', async () => {
  const session = new WatchedSession();
  const { monitor } = monitorOf(session);
  await vi.advanceTimersByTimeAsync(30_000);
  monitor.stop();
  expect(vi.getTimerCount()).toBe(0);
  expect(monitor).toMatchObject({ verdict: 'unknown', checkedAt: undefined });
  expect(await monitor.checkNow()).toBe(false);
});

test('a server that answers neither a call nor a check for 15 seconds is frozen, even if it is busy', async () => {
  const session = new WatchedSession();
  session.isAlive = 'frozen';
  session.callsInFlight = 20;
  const { monitor, frozen } = monitorOf(session, 300_000);
  await vi.advanceTimersByTimeAsync(1);
  const sentAtMs = performance.now();
  await vi.advanceTimersByTimeAsync(6_000);
  monitor.suspect(session.asSession, sentAtMs);
  monitor.suspect(session.asSession, sentAtMs + 500);
  await vi.advanceTimersByTimeAsync(8_900);
  expect(frozen).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  expect(frozen).toEqual([sentAtMs + 15_000]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(frozen).toEqual([sentAtMs + 15_000]);
  expect(session.checks).toHaveLength(1);
});

test('any byte before that clears the suspicion, and the next one starts over', async () => {
  const session = new WatchedSession();
  session.isAlive = 'frozen';
  const { monitor, frozen } = monitorOf(session, 300_000);
  for (let round = 0; round < 3; round += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    const sentAtMs = performance.now();
    await vi.advanceTimersByTimeAsync(6_000);
    monitor.suspect(session.asSession, sentAtMs);
    await vi.advanceTimersByTimeAsync(8_000);
    session.lastByteAt = performance.now();
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expect(session.checks).toHaveLength(3);
  expect(frozen).toEqual([]);
});

test('a server that answers the check is not frozen', async () => {
  const session = new WatchedSession();
  const { monitor, frozen } = monitorOf(session, 300_000);
  monitor.suspect(session.asSession, performance.now() + 1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect({ frozen, checks: session.checks.length }).toEqual({ frozen: [], checks: 1 });
});

test('a suspicion ends with its session', async () => {
  const session = new WatchedSession();
  session.isAlive = 'frozen';
  const { monitor, frozen } = monitorOf(session, 300_000);
  await vi.advanceTimersByTimeAsync(1);
  monitor.suspect(session.asSession, performance.now());
  await vi.advanceTimersByTimeAsync(6_000);
  monitor.stop();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  monitor.suspect(session.asSession, performance.now());
  expect(vi.getTimerCount()).toBe(0);
  expect(frozen).toEqual([]);
});

test.each([
  [0, 90_000],
  [1, 110_000],
])('with the random number %d a check comes after %i ms of 100 s', async (random, ms) => {
  using _ = vi.spyOn(Math, 'random').mockReturnValue(random);
  const session = new WatchedSession();
  const { checked } = monitorOf(session, 100_000);
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(session.checks).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(session.checks).toHaveLength(1);
  expect(checked).toEqual([true]);
});

test('the same interval set again changes nothing, and nothing is checked without a session', async () => {
  using _ = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const same = resolveSpec({ name: 'echo', command: 'echo', health: { intervalMs: 100_000 } });
  const session = new WatchedSession();
  const { monitor } = monitorOf(session, 100_000);
  await vi.advanceTimersByTimeAsync(60_000);
  monitor.update(same);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(session.checks).toHaveLength(1);
  monitor.stop();
  monitor.update(resolveSpec({ name: 'echo', command: 'echo', health: { intervalMs: 20_000 } }));
  expect(vi.getTimerCount()).toBe(0);
});

test('one session is watched at a time, by one timer', async () => {
  const [first, second] = [new WatchedSession(), new WatchedSession()];
  const { monitor, verdicts } = monitorOf(first);
  await monitor.checkNow();
  expect(monitor.verdict).toBe('healthy');
  monitor.start(second.asSession);
  expect(monitor).toMatchObject({ verdict: 'unknown', checkedAt: undefined });
  monitor.update(resolveSpec({ name: 'echo', command: 'echo', health: { intervalMs: 20_000 } }));
  expect(vi.getTimerCount()).toBe(1);
  second.lastMessageAt -= 60_000;
  await vi.advanceTimersByTimeAsync(22_000);
  expect([first.checks.length, second.checks.length]).toEqual([1, 1]);
  expect(verdicts).toEqual(['healthy', 'healthy']);
});

test('a check of an ended session does not count', async () => {
  const first = new WatchedSession();
  first.isAlive = 'frozen';
  const { monitor, checked, verdicts } = monitorOf(first);
  const asked = monitor.checkNow();
  monitor.start(new WatchedSession().asSession);
  expect(await asked).toBe(false);
  expect({ checked, verdicts, verdict: monitor.verdict }).toEqual({ checked: [], verdicts: [], verdict: 'unknown' });

  const closed = new WatchedSession();
  closed.isAlive = false;
  closed.isOpen = false;
  closed.lastMessageAt -= 60_000;
  monitor.start(closed.asSession);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(closed.checks).toHaveLength(1);
  expect({ checked, verdicts }).toEqual({ checked: [], verdicts: [] });
});

test('one suspicion causes one check, and a later one causes another', async () => {
  const session = new WatchedSession();
  const { monitor, frozen } = monitorOf(session, 300_000);
  monitor.suspect(session.asSession, performance.now());
  monitor.suspect(session.asSession, performance.now());
  await vi.advanceTimersByTimeAsync(0);
  monitor.suspect(session.asSession, performance.now());
  await vi.advanceTimersByTimeAsync(0);
  expect(session.checks).toHaveLength(2);
  expect(frozen).toEqual([]);
});

test('a suspicion of a session that has closed, or was replaced, ends nothing', async () => {
  for (const after of [
    (session: WatchedSession) => {
      session.isOpen = false;
    },
    (_: WatchedSession, monitor: HealthMonitor) => monitor.start(new WatchedSession().asSession),
  ]) {
    const session = new WatchedSession();
    session.isAlive = 'frozen';
    const { monitor, frozen } = monitorOf(session, 300_000);
    await vi.advanceTimersByTimeAsync(1);
    monitor.suspect(session.asSession, performance.now());
    await vi.advanceTimersByTimeAsync(6_000);
    after(session, monitor);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(frozen).toEqual([]);
    monitor.stop();
  }
});

describe('a health check tool', () => {
  class ToolSession extends WatchedSession {
    readonly calls: unknown[] = [];
    result: { isError?: boolean } = {};
    end: AbortSignal | undefined;

    async callTool(tool: string, args: unknown, { signal }: { signal: AbortSignal }) {
      this.calls.push([tool, args]);
      this.end = signal;
      if (this.isAlive === 'frozen')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return this.result;
    }
  }

  function watched(args?: Readonly<Record<string, unknown>>, mayCall: (tool: string) => boolean = () => true) {
    const reasons: unknown[] = [];
    const session = new ToolSession();
    const health = { method: 'tool_call', tool: 'alive', intervalMs: 10_000, ...(args && { args }) } as const;
    const server = resolveSpec({ name: 'echo', command: 'echo', health });
    const monitor = new HealthMonitor(server, {
      mayCall,
      onChecked: (_, cause) => reasons.push(cause?.cause),
      onFrozen: () => undefined,
      onVerdict: () => undefined,
      ...unused,
    });
    monitor.start(session as unknown as Session);
    return { session, monitor, reasons };
  }

  test.each([[undefined], [{ deep: true }]])(
    'is called with the arguments of the spec, however much the server says: %j',
    async (args) => {
      const { session, monitor } = watched(args);
      expect(await monitor.checkNow()).toBe(true);
      session.lastMessageAt = performance.now();
      await vi.advanceTimersByTimeAsync(11_000);
      expect(session.calls).toEqual([
        ['alive', args ?? {}],
        ['alive', args ?? {}],
      ]);
    },
  );

  test('is replaced by a ping while it may not be called, which the monitor reports', async () => {
    let isAllowed = false;
    const { session, monitor } = watched(undefined, (tool) => tool === 'alive' && isAllowed);
    expect(await monitor.checkNow()).toBe(true);
    expect(session.calls).toEqual([]);
    expect(session.checks).toHaveLength(1);
    expect(monitor.problems).toEqual([expect.stringContaining('does not call "alive"')]);
    isAllowed = true;
    expect(await monitor.checkNow()).toBe(true);
    expect(session.calls).toEqual([['alive', {}]]);
    expect(monitor.problems).toEqual([]);
    isAllowed = false;
    monitor.stop();
    expect(monitor.problems).toEqual([]);
  });

  test('that may not be called is replaced by a ping, as rarely as any ping', async () => {
    const { session } = watched(undefined, () => false);
    session.lastMessageAt = performance.now();
    await vi.advanceTimersByTimeAsync(11_000);
    expect([session.calls, session.checks]).toEqual([[], []]);
  });

  test('and returns an error is a miss, with the reason', async () => {
    const { session, reasons } = watched();
    session.result = { isError: true };
    await vi.advanceTimersByTimeAsync(11_000);
    expect(reasons).toEqual([new Error('the tool "alive" returned an error')]);
  });

  test('and does not answer in time is a miss, with the limit', async () => {
    const { session, reasons } = watched();
    session.isAlive = 'frozen';
    await vi.advanceTimersByTimeAsync(16_000);
    expect(reasons).toMatchObject([{ message: 'no answer within 5000 ms' }]);
  });

  test('is not called again after a check that the end of the watch has cut short', async () => {
    const { session, monitor, reasons } = watched();
    session.isAlive = 'frozen';
    await vi.advanceTimersByTimeAsync(11_000);
    monitor.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session.calls).toHaveLength(1);
    expect(reasons).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends with the monitoring, without a timer left', async () => {
    const { session, monitor } = watched();
    await monitor.checkNow();
    expect(vi.getTimerCount()).toBe(1); // the next check
    session.isAlive = 'frozen';
    const asked = monitor.checkNow();
    await vi.advanceTimersByTimeAsync(0);
    monitor.stop();
    expect(await asked).toBe(false);
    expect(session.end?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a server is healthy by its last check, or by a recent message before the first check', async () => {
  const session = new WatchedSession();
  const { monitor } = monitorOf(session, 300_000);
  expect(monitor.isWell).toBe(true);
  session.lastMessageAt -= 15_000;
  expect(monitor.isWell).toBe(false);
  await monitor.checkNow();
  session.lastMessageAt -= 60_000;
  expect(monitor.isWell).toBe(true);
  session.isAlive = false;
  await monitor.checkNow();
  session.lastMessageAt = performance.now();
  expect(monitor.isWell).toBe(false);
  monitor.stop();
  expect(monitor.isWell).toBe(false);
});
