import { expect, test } from 'vitest';
import { treeCommand } from '../../src/processes/process-group.js';

test('ends a process tree on Windows with the program of the system, not one of the current directory', () => {
  expect(treeCommand(42, 'SIGTERM', { SystemRoot: 'D:\\Windows' })).toEqual([
    'D:\\Windows\\System32\\taskkill.exe',
    '/PID',
    '42',
    '/T',
  ]);
  expect(treeCommand(42, 'SIGKILL', {})).toEqual(['C:\\Windows\\System32\\taskkill.exe', '/PID', '42', '/T', '/F']);
});
