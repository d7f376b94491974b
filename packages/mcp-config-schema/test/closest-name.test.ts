import { expect, test } from 'vitest';
import { closestName } from '../src/closest-name.js';

const keys = ['command', 'url', 'timeout_seconds', 'git', 'filesystem'];

test.each([
  ['comand', 'command'],
  ['COMMAND', 'command'],
  ['gti', 'git'],
  ['timeout', 'timeout_seconds'],
  ['filesystems', 'filesystem'],
  ['file-system', 'filesystem'],
  ['x', undefined],
  ['database', undefined],
  ['c'.repeat(1_000_000), undefined],
])('%.12s is taken for %s', (name, expected) => {
  expect(closestName(name, keys)).toBe(expected);
});
