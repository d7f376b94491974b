import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { checkPath, checkRuntime, isSupported, removalOf } from '../../src/doctor/check-system.js';

describe('the runtime', () => {
  test('is what the package says that it needs', () => {
    expect(packageJson.engines.node).toBe('^20.19.0 || ^22.13.0 || >=24');
  });

  test.each(['20.19.0', '20.20.2', '22.13.1', '24.0.0', '26.1.0'])('%s is supported', (version) => {
    expect(isSupported(version)).toBe(true);
  });

  test.each(['18.20.0', '20.18.3', '21.7.0', '22.12.0', '23.9.0'])('%s is not', (version) => {
    expect(checkRuntime(version)).toMatchObject({ check: 'runtime', status: 'error' });
  });
});

test.each([
  [undefined, 'error'],
  ['', 'error'],
  ['/usr/bin:/bin', 'ok'],
  ['/usr/bin:.', 'warning'],
  ['node_modules/.bin:/bin', 'warning'],
])('PATH %j is %s', (path, status) => {
  expect(checkPath(path?.replaceAll(':', delimiter))).toMatchObject({ check: 'path', status });
});

test.each([
  ['linux', '/state/a b.lock', "rm -r '/state/a b.lock'"],
  ['darwin', "/state/it's.lock", "rm -r '/state/it'\\''s.lock'"],
  ['win32', "C:\\it's a state\\a.lock", "Remove-Item -Recurse -Force -LiteralPath 'C:\\it''s a state\\a.lock'"],
])('on %s the advice to remove %s is a line for its terminal', (platform, path, line) => {
  expect(removalOf(path, platform)).toBe(line);
});
