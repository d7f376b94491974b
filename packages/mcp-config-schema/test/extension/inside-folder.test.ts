import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { liesIn, staysInside } from '../../src/extension/inside-folder.js';

test.each(['mcp.json', './mcp.json', 'a/../mcp.json', 'a\\b.json', '.hidden', '...x/a', 'a/...b'])(
  '%s is inside its folder',
  (path) => {
    expect(staysInside(path)).toBe(true);
  },
);

test.each([
  '',
  '.',
  './',
  '..',
  '../mcp.json',
  'a/../../mcp.json',
  'a/..',
  '..\\mcp.json',
  'a/..\\..\\mcp.json',
  '.. /mcp.json',
  '..../mcp.json',
  '/etc/passwd',
  '\\windows\\x',
  'C:\\x',
  'c:x',
  '//host/share/x',
])('%s is not', (path) => {
  expect(staysInside(path)).toBe(false);
});

test('an inside path is inside by the rules of each system', () => {
  const segment = fc.constantFrom('.', '..', 'a', 'b c', '', 'C:', '. .', '..a');
  const anyPath = fc.array(fc.tuple(segment, fc.constantFrom('/', '\\'))).map((parts) => parts.flat().join(''));
  fc.assert(
    fc.property(anyPath, (path) => {
      fc.pre(staysInside(path));
      expect(posix.resolve('/folder', path).startsWith('/folder/')).toBe(true);
      expect(win32.resolve('C:\\folder', path).startsWith('C:\\folder\\')).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("a name with the folder's name as prefix is outside", () => {
  expect(liesIn('/srv/app-2/x', '/srv/app', '/')).toBe(false);
  expect(liesIn('/srv/app/x', '/srv/app', '/')).toBe(true);
  expect(liesIn('/srv/app', '/srv/app', '/')).toBe(false);
  expect(liesIn('C:\\a\\b\\c', 'C:\\a\\b', '\\')).toBe(true);
  expect(liesIn('/x', '/', '/')).toBe(true);
});
