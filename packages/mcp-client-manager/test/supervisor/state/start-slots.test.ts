import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ReleaseSlot, StartSlots } from '../../../src/supervisor/state/start-slots.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Ask {
  readonly priority?: number;
  readonly type?: 'stdio' | 'http' | 'in-process';
  readonly isWaitedFor?: boolean;
}

function slotsWithLog(concurrency: number) {
  const slots = new StartSlots({ concurrency });
  const turns: string[] = [];
  const ask = (name: string, given: Ask = {}): ReleaseSlot => {
    const { priority = 0, type = 'stdio', isWaitedFor = false } = given;
    return slots.request({
      priority,
      type,
      isWaitedFor: () => isWaitedFor,
      onTurn: () => turns.push(name),
    });
  };
  return { slots, turns, ask };
}

test('so many start at a time, and the next when one is done', () => {
  const { turns, ask } = slotsWithLog(2);
  const releases = ['a', 'b', 'c', 'd'].map((name) => ask(name));
  expect(turns).toEqual(['a', 'b']);
  releases[1]?.();
  releases[1]?.();
  expect(turns).toEqual(['a', 'b', 'c']);
});

test('starts awaited servers first, then by priority, then in order', () => {
  const { turns, ask } = slotsWithLog(1);
  const first = ask('first');
  const releases = [
    ask('low'),
    ask('also low'),
    ask('high', { priority: 5 }),
    ask('waited for', { isWaitedFor: true }),
    ask('high and waited for', { priority: 5, isWaitedFor: true }),
  ];
  first();
  for (const index of [4, 3, 2, 0, 1]) releases[index]?.();
  expect(turns).toEqual(['first', 'high and waited for', 'waited for', 'high', 'low', 'also low']);
});

test('a request that left the queue gets no turn', () => {
  const { turns, ask } = slotsWithLog(1);
  const first = ask('first');
  ask('second')();
  ask('third');
  first();
  expect(turns).toEqual(['first', 'third']);
});

/** Until the turn of the event loop has ended. */
const endOfTurn = (): void => void vi.advanceTimersByTime(0);

test('a remote server takes no slot', () => {
  const { turns, ask } = slotsWithLog(1);
  ask('remote', { type: 'http' });
  endOfTurn();
  ask('process');
  ask('remote 2', { type: 'http', priority: 1 });
  endOfTurn();
  expect(turns).toEqual(['remote', 'process', 'remote 2']);
});

test('a remote server lets the processes go first that start in the same turn of the event loop after it', () => {
  const { turns, ask } = slotsWithLog(2);
  ask('remote', { type: 'http', isWaitedFor: true });
  const process = ask('process', { isWaitedFor: true });
  endOfTurn();
  expect(turns).toEqual(['process']);
  process();
  expect(turns).toEqual(['process', 'remote']);
});

test('a remote server lets the processes go first that start and are as urgent', () => {
  const { turns, ask } = slotsWithLog(2);
  const releases = [ask('process'), ask('process 2'), ask('process 3')];
  ask('remote', { type: 'http' });
  ask('awaited', { type: 'http', isWaitedFor: true });
  endOfTurn();
  expect(turns).toEqual(['process', 'process 2', 'awaited']);
  releases[0]?.();
  releases[1]?.();
  expect(turns).toEqual(['process', 'process 2', 'awaited', 'process 3']);
  releases[2]?.();
  expect(turns.at(-1)).toBe('remote');
  expect(vi.getTimerCount()).toBe(0);
});

test('a server in this process waits for nothing', () => {
  const { turns, ask } = slotsWithLog(1);
  ask('process');
  ask('remote', { type: 'http' });
  ask('own', { type: 'in-process' });
  expect(turns).toEqual(['process', 'own']);
});

test('a remote server waits a quarter of a second at most, also when processes start one after the other', () => {
  const { turns, ask } = slotsWithLog(1);
  const first = ask('process');
  ask('process 2');
  ask('remote', { type: 'http' });
  vi.advanceTimersByTime(200);
  first();
  vi.advanceTimersByTime(49);
  expect(turns).toEqual(['process', 'process 2']);
  vi.advanceTimersByTime(1);
  expect(turns).toEqual(['process', 'process 2', 'remote']);
});

test('a remote server starts when it becomes more urgent than the processes that start', () => {
  const { slots, turns, ask } = slotsWithLog(1);
  ask('process');
  let isWaitedFor = false;
  slots.request({
    priority: 0,
    type: 'http',
    isWaitedFor: () => isWaitedFor,
    onTurn: () => turns.push('remote'),
  });
  slots.becameUrgent();
  endOfTurn();
  expect(turns).toEqual(['process']);
  isWaitedFor = true;
  slots.becameUrgent();
  endOfTurn();
  expect(turns).toEqual(['process', 'remote']);
});

test('a remote server that leaves, or whose slots are closed, waits for nothing', () => {
  const { slots, turns, ask } = slotsWithLog(1);
  const process = ask('process');
  ask('leaves', { type: 'http' })();
  endOfTurn();
  expect(vi.getTimerCount()).toBe(1); // of the process
  ask('is closed', { type: 'http' });
  slots.close();
  ask('comes too late', { type: 'http' });
  process();
  expect(vi.getTimerCount()).toBe(0);
  expect(turns).toEqual(['process']);
});

test('a start that hangs gives its slot to the others after three seconds, once', () => {
  const { turns, ask } = slotsWithLog(1);
  const hanging = ask('hangs');
  ask('second');
  ask('third');
  vi.advanceTimersByTime(2_999);
  expect(turns).toEqual(['hangs']);
  vi.advanceTimersByTime(1);
  hanging();
  expect(turns).toEqual(['hangs', 'second']);
});

test('starts that hang let others begin, up to four for each slot; each that is over makes room for one more', () => {
  const { turns, ask } = slotsWithLog(2);
  const releases = Array.from({ length: 20 }, (_, index) => ask(`${index}`));
  for (let round = 1; round < 8; round += 1) {
    expect(turns).toHaveLength(Math.min(2 * round, 8));
    vi.advanceTimersByTime(3_000);
  }
  ask('remote', { type: 'http' });
  endOfTurn();
  expect(turns.at(-1)).toBe('remote');
  releases[0]?.();
  releases[0]?.();
  expect(turns).toHaveLength(10);
  releases[1]?.();
  releases[2]?.();
  expect(turns).toHaveLength(11); // two hold their slots
  vi.advanceTimersByTime(3_000);
  expect(turns).toHaveLength(12);
});

test('a pause blocks all starts, and grows until a process starts again', () => {
  const { slots, turns, ask } = slotsWithLog(10);
  const shortage = { reason: 'no room', onRoom: () => undefined };
  const pauses = [slots.pause(shortage), slots.pause(shortage), slots.pause(shortage)];
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(125 * 2 ** index);
    expect(pause).toBeLessThanOrEqual(250 * 2 ** index);
  }
  ask('process');
  ask('remote', { type: 'http' });
  vi.advanceTimersByTime((pauses[2] ?? 0) - 1);
  expect(turns).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(turns).toEqual(['process', 'remote']);
  slots.spawned();
  expect(slots.pause(shortage)).toBeLessThanOrEqual(250);
});

test('the end of a process ends the pause and notifies each failed start once', () => {
  const { slots, turns, ask } = slotsWithLog(10);
  slots.roomFreed();
  expect(slots.shortage).toBeUndefined();
  for (const name of ['a', 'b'])
    slots.pause({ reason: `no room for ${name}`, onRoom: () => turns.push(`${name} again`) });
  ask('c', { type: 'http' });
  endOfTurn();
  expect(slots.shortage).toBe('no room for b');
  slots.roomFreed();
  slots.roomFreed();
  expect(turns).toEqual(['c', 'a again', 'b again']);
  expect(slots.shortage).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('close grants no further turns', () => {
  const { slots, turns, ask } = slotsWithLog(1);
  const first = ask('first');
  ask('second');
  slots.close();
  first();
  ask('third');
  expect(turns).toEqual(['first']);
});

test('never exceeds the limit, and every remaining request gets a turn', () => {
  const move = fc.oneof(
    fc.record({ type: fc.constant('ask' as const), priority: fc.nat(3), isWaitedFor: fc.boolean() }),
    fc.record({ type: fc.constant('release' as const), which: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(move, { maxLength: 40 }), (concurrency, moves) => {
      const slots = new StartSlots({ concurrency });
      const running = new Set<number>();
      const staying = new Map<number, ReleaseSlot>();
      const hadTurn = new Set<number>();
      const leave = (id: number): void => {
        running.delete(id);
        const release = staying.get(id);
        staying.delete(id);
        release?.();
      };
      for (const [id, step] of moves.entries()) {
        if (step.type === 'release') {
          const ids = [...staying.keys()];
          leave(ids[step.which % Math.max(ids.length, 1)] ?? -1);
        } else {
          const onTurn = (): void => {
            running.add(id);
            hadTurn.add(id);
          };
          const { priority, isWaitedFor } = step;
          const release = slots.request({
            priority,
            type: 'stdio',
            isWaitedFor: () => isWaitedFor,
            onTurn,
          });
          staying.set(id, release);
        }
        expect(running.size).toBeLessThanOrEqual(concurrency);
        expect(running.size).toBe(Math.min(concurrency, staying.size));
      }
      const stayed = [...staying.keys()];
      while (running.size > 0) leave([...running][0] as number);
      expect(stayed.filter((id) => !hadTurn.has(id))).toEqual([]);
      vi.clearAllTimers();
    }),
  );
});
