import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveGroups } from '../../src/processes/process-table.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('concurrent queries share one scan, which starts after them', async () => {
  let looks = 0;
  const running = new Set([1]);
  const groups = new LiveGroups(() => {
    looks += 1;
    return running;
  });
  const answers = Array.from({ length: 100 }, (_, group) => groups.has(group));
  running.add(7);
  await vi.runAllTimersAsync();
  const alive = (await Promise.all(answers)).flatMap((isAlive, group) => (isAlive ? [group] : []));
  expect({ alive, looks }).toEqual({ alive: [1, 7], looks: 1 });
  const later = groups.has(1);
  await vi.runAllTimersAsync();
  expect(await later).toBe(true);
  expect(looks).toBe(2);
});
