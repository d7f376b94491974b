import type { ProcessGroup } from '@x/internal/processes';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stopProcess } from '../../src/process/stop-ladder.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A group that is gone after the step that it gives in to, and notes when each step came. */
function group(givesInTo: 'stdin' | 'SIGTERM' | 'SIGKILL' | 'nothing', { lingersMs = 0 }: { lingersMs?: number } = {}) {
  const steps: [string, number][] = [];
  let looks = 0;
  const startedAt = Date.now();
  let isAlive = true;
  let isReleased = false;
  let exit: (() => void) | undefined;
  const exited = new Promise<void>((resolve) => {
    exit = resolve;
  });
  const step = (name: string): void => {
    steps.push([name, Date.now() - startedAt]);
    if (name !== givesInTo) return;
    exit?.();
    setTimeout(() => {
      isAlive = false;
    }, lingersMs);
  };
  const fake: Pick<ProcessGroup, 'signal' | 'isAlive' | 'release'> = {
    signal: step,
    isAlive: async () => {
      looks += 1;
      return isAlive;
    },
    release: () => {
      isReleased = true;
    },
  };
  const target = { group: fake as ProcessGroup, exited, endStdin: () => step('stdin') };
  return { target, steps, isReleased: () => isReleased, looks: () => looks };
}

async function ladder(...args: Parameters<typeof group>) {
  const { target, steps, isReleased, looks } = group(...args);
  const stopped = stopProcess(target, { shutdownTimeoutMs: 5_000 });
  await vi.runAllTimersAsync();
  return { isGone: await stopped, steps, isReleased: isReleased(), looks: looks() };
}

test.each([
  ['stdin', [['stdin', 0]]],
  [
    'SIGTERM',
    [
      ['stdin', 0],
      ['SIGTERM', 2_000],
    ],
  ],
  [
    'SIGKILL',
    [
      ['stdin', 0],
      ['SIGTERM', 2_000],
      ['SIGKILL', 7_000],
    ],
  ],
] as const)('a group that gives in to %s is asked no further', async (givesInTo, steps) => {
  expect(await ladder(givesInTo)).toMatchObject({ isGone: true, steps, isReleased: true });
});

test('a leader that is gone while its group is not does not end the ladder', async () => {
  const { isGone, steps } = await ladder('stdin', { lingersMs: 3_000 });
  expect(isGone).toBe(true);
  expect(steps.map(([name]) => name)).toEqual(['stdin', 'SIGTERM']);
});

test('a lingering group is checked less and less often: each check scans all processes', async () => {
  const { looks } = await ladder('stdin', { lingersMs: 6_900 });
  expect(looks).toBeLessThan(35);
});

test('reports a group that survives SIGKILL in bounded time, and kills it again at the end of the process', async () => {
  const { isGone, steps, isReleased } = await ladder('nothing');
  expect({ isGone, isReleased }).toEqual({ isGone: false, isReleased: false });
  expect(steps).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
});
