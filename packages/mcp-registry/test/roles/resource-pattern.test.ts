import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesResource } from '../../src/roles/resource-pattern.js';
import { noServer } from '../helpers/known-servers.js';

test.each([
  ['files', 'file:///a/b', true],
  ['files', 'file:///a/../b', true],
  ['files.*', 'file:///a/../b', true],
  ['files.file:///a/b', 'file:///a/b', true],
  ['files.file:///a/../b', 'file:///a/../b', true],
  ['files.file:///a/*', 'file:///a/b', true],
  ['files.file:///a/*', 'file:///a/b/c.d?x#y', true],
  ['files.file:///a/*', 'file:///a/{name}', true],
  ['files.file:///a/*', 'file:///a/...', false],
  ['files.file:///a/*', 'file:///a/.git', true],
  ['files.file:///a/*', 'file:///a/b..', true],
  ['files.file:///a/*', 'file:///a/x & y', true],
  ['files.file:///a/*', 'file:///a/..\u00a0/b', false],
  ['files.file:///a/*', 'file:///a/..%c2%a0/b', false],
  ['files.file:///a/*', 'file:///a/..\u200b/b', false],
  ['files.file:///a/*', 'file:///a/\u200b../b', false],
  ['files.file:///a/*', 'file:///a/.\u200b./b', false],
  ['files.file:///a/*', 'file:///a/..&x/b', false],
  ['files.file:///a/*', 'file:///a/\uff0e\uff0e/b', false],
  ['files.file:///a/*', 'file:///a/.\uff0e/b', false],
  ['files.file:///a/*', 'file:///a/\u2025/b', false],
  ['files.file:///a/*', 'file:///a/\u2024\u2024/b', false],
  ['files.file:///a/*', 'file:///a/b\uff0f..', false],
  ['files.file:///a/*', 'file:///a/b\uff3c..', false],
  ['files.file:///a/*', 'file:///a/\uff052e\uff052e/b', false],
  ['files.file:///a/*', 'file:///a/..\ufeff', false],
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
  ['files.file:///a/*', 'file:///a/.\t./b', false],
  ['files.file:///a/*', 'file:///a/\n../b', false],
  ['files.file:///a/*', 'file:///a/..\u0000', false],
  ['files.file:///a/*', 'file:///a/.%09./b', false],
  ['files.file:///a/*', 'file:///a/.. ', false],
  ['files.file:///a/*', 'file:///a/..%20/b', false],
  ['files.file:///a/*', 'file:///a/..;x/b', false],
  ['files.file:///a/*', 'file:///a/..%23x', false],
  ['files.file:///a/*', 'file:///a/%c0%ae%c0%ae/b', false],
  ['files.file:///a/*', 'file:///a/%', false],
  ['files.file:///a/*', 'file:///a/my%20file;v=1.d', true],
  ['files.file:///a/*', 'file:///a/na\u00efve/%c3%a9..b', true],
  ['files.a:*', 'a:../b', false],
  ['files.file:///a/', 'file:///a/b', false],
  ['*', 'file:///a/b', false],
  ['f*', 'file:///a/b', false],
  ['other', 'file:///a/b', false],
  ['files.', 'file:///a/b', false],
])('%s of the server files, resource %s: %s', (pattern, uri, expected) => {
  expect(matchesResource(pattern, { server: 'files', uri }, noServer)).toBe(expected);
});

test('hostile patterns and URIs take little time', () => {
  const subject = { server: 's', uri: `x:${'a/'.repeat(50_000)}` };
  expect(matchesResource(`s.x:${'*a'.repeat(5_000)}*b`, subject, noServer)).toBe(false);
});

test('no URI that a URL parser would take out of the folder is let through', () => {
  const part = fc.constantFrom(
    '.',
    '..',
    '/',
    '\t',
    '\n',
    '\r',
    ' ',
    '\\',
    '%2e',
    '%2F',
    '%5c',
    '%25',
    ';',
    '?',
    '#',
    'a',
    '\u0000',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const uri = `file:///docs/${parts.join('')}`;
      fc.pre(matchesResource('files.file:///docs/*', { server: 'files', uri }, noServer));
      expect(new URL(uri).pathname).toMatch(/^\/docs\//);
    }),
  );
});

test.each([
  ['abc.x', { server: 'xyz', uri: 'x' }, false],
  ['git.**', { server: 'git', uri: 'file:///a/../b' }, true],
  ['git.*', { server: 'git', uri: 'file:///a/../b' }, true],
  ['git.*b', { server: 'git', uri: 'file:///a/../b' }, false],
  ['git.*x', { server: 'git', uri: '../x' }, false],
  ['git.*x', { server: 'git', uri: './x' }, false],
  ['git.file:///*', { server: 'git', uri: 'file:///a/.' }, false],
  ['git.file:///*', { server: 'git', uri: 'file:///a%2fb' }, false],
  ['git.file:///*', { server: 'git', uri: 'file:///a%25b' }, false],
  ['git.file:///*', { server: 'git', uri: 'file:///a%20b' }, true],
  ['git.file:///*', { server: 'git', uri: 'file:///%c0%ae' }, false],
])('%s and %j: %s', (pattern, resource, expected) => {
  expect(matchesResource(pattern, resource, noServer)).toBe(expected);
});
