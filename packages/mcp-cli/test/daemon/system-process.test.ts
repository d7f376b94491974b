import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { tableId } from '../../src/daemon/system-process.js';

test('identifies processes on Windows by the machine, not by a folder "proc" of the current drive', () => {
  expect(tableId('win32')).toBe(hostname());
});
