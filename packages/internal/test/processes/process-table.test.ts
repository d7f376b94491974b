import { expect, test } from 'vitest';
import { runningProcesses } from '../../src/processes/process-table.js';

test.runIf(process.platform === 'linux')('processes are listed in the order of their ids, by number', () => {
  const ids = runningProcesses().map(({ pid }) => pid);
  expect(ids).toContain(process.pid);
  expect(ids).toEqual([...ids].sort((left, right) => left - right));
});
