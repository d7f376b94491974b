import { describe, expect, test } from 'vitest';
import { findHost } from '../../src/adapters/all-hosts.js';
import { isHostFileError, listHosts } from '../../src/index.js';

test.each([
  ['claude', 'user', 'claude-code-user'],
  ['claude', 'project', 'claude-code-project'],
  ['roo', 'user', 'roo-user'],
  ['roo', 'project', 'roo-project'],
  ['jetbrains', 'user', 'junie-user'],
  ['jetbrains', 'project', 'junie-project'],
  ['zed', 'user', 'zed-user'],
  ['zed', 'project', 'zed-project'],
  ['claude-code', 'local', 'claude-code-local'],
  ['goose', 'project', 'goose-user'],
  ['cursor-user', 'project', 'cursor-user'],
] as const)('%s in the scope %s is %s', (name, scope, id) => {
  expect(findHost(name, scope).id).toBe(id);
});

test('a name is the user scope unless something else is said', () => {
  expect(findHost('cursor').id).toBe('cursor-user');
});

describe('a host that does not exist', () => {
  test.each([
    ['curser', 'did you mean "cursor"?'],
    ['vscode-users', 'did you mean "vscode-user"?'],
    ['emacs-of-the-future', 'listHosts() has all of them'],
    ['__proto__', 'listHosts() has all of them'],
    ['cursor\u001b[2J', 'did you mean "cursor"?'],
  ])('%j is refused with help', (name, hint) => {
    const caught = failure(() => findHost(name));
    expect(isHostFileError(caught) && caught.code).toBe('unknown-host');
    expect(String(caught)).toContain(hint);
    expect(String(caught)).not.toContain('\u001b');
  });

  test('a scope that a family has no file for is refused with those it has', () => {
    expect(() => findHost('cursor', 'local')).toThrow(
      '"cursor" has no file of the scope "local", only cursor-project, cursor-user',
    );
  });
});

test('at least 25 hosts are known, each once', () => {
  const hosts = listHosts();
  expect(new Set(hosts.map(({ family }) => family)).size).toBeGreaterThanOrEqual(25);
  expect(new Set(hosts.map(({ id }) => id)).size).toBe(hosts.length);
});

test('a host that has been replaced names a host that exists', () => {
  const hosts = listHosts();
  const ids = hosts.map(({ id }) => id);
  const successors = hosts.flatMap(({ replacedBy }) => replacedBy ?? []);
  expect(successors.filter((id) => !ids.includes(id))).toEqual([]);
  expect(successors).toContain('devin-desktop-user');
});

function failure(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
