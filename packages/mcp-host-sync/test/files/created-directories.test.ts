import { expect, test } from 'vitest';
import { withoutNamespace } from '../../src/files/created-directories.js';

test.each([
  ['\\\\?\\C:\\Users\\ann\\.cursor', 'C:\\Users\\ann\\.cursor'],
  ['\\\\?\\UNC\\host\\share\\.cursor', '\\\\host\\share\\.cursor'],
  ['C:\\Users\\ann\\.cursor', 'C:\\Users\\ann\\.cursor'],
  ['\\\\host\\share\\.cursor', '\\\\host\\share\\.cursor'],
  ['/home/ann/.cursor', '/home/ann/.cursor'],
])('a created directory %s is recorded as %s', (path, recorded) => {
  expect(withoutNamespace(path)).toBe(recorded);
});
