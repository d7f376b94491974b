import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { tableId } from '../../src/daemon/system-process.js';

test('processes on Windows are those of the machine, whatever the current drive has in its folder "proc"', () => {
  expect(tableId('win32')).toBe(hostname());
});
