import { expect, test } from 'vitest';
import { matchesResource } from '../../src/roles/resource-pattern.js';

test.each([
  ['files', 'file:///a/b', true],
  ['files', 'file:///a/../b', true],
  ['files.*', 'file:///a/../b', true],
  ['files.file:///a/b', 'file:///a/b', true],
  ['files.file:///a/../b', 'file:///a/../b', true],
  ['files.file:///a/*', 'file:///a/b', true],
  ['files.file:///a/*', 'file:///a/b/c.d?x#y', true],
  ['files.file:///a/*', 'file:///a/{name}', true],
  ['files.file:///a/*', 'file:///a/...', true],
  ['files.file:///a/*', 'file:///ab', false],
  ['files.file:///a/*', 'FILE:///a/b', false],
  ['files.file:///a/*', 'file:///a/../b', false],
  ['files.file:///a/*', 'file:///a/..', false],
  ['files.file:///a/*', 'file:///a/./b', false],
  ['files.file:///a/*', 'file:///a/..?x', false],
  ['files.file:///a/*', 'file:///a/%2e%2E/b', false],
  ['files.file:///a/*', 'file:///a/.%2e/b', false],
  ['files.file:///a/*', 'file:///a/..%2Fb', false],
  ['files.file:///a/*', 'file:///a/..\\b', false],
  ['files.file:///a/*', 'file:///a/%252e%252e/b', false],
  ['files.file:///a/*', 'file:///a/b%00', false],
  ['files.a:*', 'a:../b', false],
  ['files.file:///a/', 'file:///a/b', false],
  ['*', 'file:///a/b', false],
  ['f*', 'file:///a/b', false],
  ['other', 'file:///a/b', false],
  ['files.', 'file:///a/b', false],
])('%s of the server files, resource %s: %s', (pattern, uri, expected) => {
  expect(matchesResource(pattern, { server: 'files', uri })).toBe(expected);
});

test('a pattern and a URI made to be hard take no time', () => {
  const subject = { server: 's', uri: `x:${'a/'.repeat(50_000)}` };
  expect(matchesResource(`s.x:${'*a'.repeat(5_000)}*b`, subject)).toBe(false);
});
