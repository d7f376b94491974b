import { expect, test } from 'vitest';
import { commonFirst } from '../../src/command-line/common-first.js';

test.each([
  ['-c x list', 'list -c x'],
  ['-cx list', 'list -cx'],
  ['--config=x --json daemon status', 'daemon status --config=x --json'],
  ['--env-file a call s.t --env-file b', 'call s.t --env-file a --env-file b'],
  ['--env-file a call s.t -', 'call s.t - --env-file a'],
  ['-c x add s -- npx -y y', 'add s -c x -- npx -y y'],
  ['-c x --help', '--help -c x'],
  ['-c x', '-c x'],
  ['--config', '--config'],
  ['list -c x', 'list -c x'],
  ['--config-file x list', '--config-file x list'],
])('%s becomes %s', (before, after) => {
  expect(commonFirst(before.split(' '))).toEqual(after.split(' '));
});
