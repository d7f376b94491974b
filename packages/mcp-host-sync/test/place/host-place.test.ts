import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInside, keysOf } from '../../src/place/host-place.js';

test.each([
  ['linux', '/srv/app', '/srv/app', true],
  ['linux', '/srv/app', '/srv/app/.mcp.json', true],
  ['linux', '/srv/app', '/srv/app/a/../b', true],
  ['linux', '/srv/app', '/srv/app-evil/.mcp.json', false],
  ['linux', '/srv/app', '/srv/app/../app-evil/x', false],
  ['linux', '/srv/app', '/srv/App/x', false],
  ['linux', '/srv/app', '/srv', false],
  ['linux', '/srv/app/', '/srv/app/x', true],
  ['linux', '/', '/anything', true],
  ['darwin', '/Users/ann', '/Users/annabel/x', false],
  ['win32', 'C:\\Users\\ann', 'c:\\USERS\\Ann\\x.json', true],
  ['win32', 'C:\\Users\\ann', 'C:\\Users\\annabel\\x.json', false],
  ['win32', 'C:\\Users\\ann', 'C:/Users/ann/x.json', true],
  ['win32', 'C:\\Users\\ann', 'D:\\Users\\ann\\x.json', false],
  ['win32', 'C:\\Users\\ann', 'C:\\Users\\ann\\..\\bob\\x.json', false],
  ['win32', '\\\\host\\share\\ann', '\\\\host\\share\\ann\\x', true],
  ['win32', '\\\\host\\share\\ann', '\\\\host\\other\\ann\\x', false],
  ['win32', 'C:\\Users\\annette', 'C:\\Users\\ANNETT~1\\x', false],
] as const)('on %s, %s contains %s: %s', (platform, directory, path, expected) => {
  expect(isInside(directory, path, platform)).toBe(expected);
});

test.each([
  ['linux', '/srv/a\\b', '/srv/a\\b'],
  ['darwin', '/Users/ann/app', '/Users/ann/app'],
  ['win32', 'D:\\src\\app', 'D:/src/app'],
  ['win32', '\\\\host\\share\\app', '//host/share/app'],
] as const)('on %s, a host has the project %s under the key %s', (platform, project, key) => {
  expect(keysOf(['projects', '{repository}'], { platform, project })).toEqual(['projects', key]);
});

test('a path is inside its directory, and never inside a sibling with the same prefix', () => {
  const segment = fc.stringMatching(/^[a-z][a-z0-9-]{0,5}$/);
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), segment, segment, (segments, more, file) => {
      const directory = `/${segments.join('/')}`;
      expect(isInside(directory, `${directory}/${more}/${file}`, 'linux')).toBe(true);
      expect(isInside(directory, `${directory}${more}/${file}`, 'linux')).toBe(false);
    }),
  );
});
