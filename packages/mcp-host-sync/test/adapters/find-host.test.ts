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
  ['vibe', 'user', 'mistral-vibe-user'],
  ['claude-code', 'local', 'claude-code-local'],
  ['goose', 'project', 'goose-user'],
  ['cursor-user', 'project', 'cursor-user'],
] as const)('finds %s in the scope %s as %s', (name, scope, id) => {
  expect(findHost(name, scope).id).toBe(id);
});

test('a name selects the user scope by default', () => {
  expect(findHost('cursor').id).toBe('cursor-user');
});

describe('an unknown host', () => {
  test.each([
    ['curser', 'did you mean "cursor"?'],
    ['vscode-users', 'did you mean "vscode-user"?'],
    ['emacs-of-the-future', 'listHosts() returns all of them'],
    ['__proto__', 'listHosts() returns all of them'],
    ['cursor\u001b[2J', 'did you mean "cursor"?'],
  ])('the error for %j has a suggestion or names listHosts()', (name, hint) => {
    const caught = failure(() => findHost(name));
    expect(isHostFileError(caught) && caught.code).toBe('unknown-host');
    expect(String(caught)).toContain(hint);
    expect(String(caught)).not.toContain('\u001b');
  });

  test('the error for a missing scope lists the existing files', () => {
    expect(() => findHost('cursor', 'local')).toThrow(
      '"cursor" has no file with the scope "local", only cursor-project, cursor-user',
    );
  });
});

test('has at least 25 hosts with unique ids', () => {
  const hosts = listHosts();
  expect(new Set(hosts.map(({ family }) => family)).size).toBeGreaterThanOrEqual(25);
  expect(new Set(hosts.map(({ id }) => id)).size).toBe(hosts.length);
});

test('replacedBy is the id of an existing host', () => {
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

test.each(['raycast', 'eclipse', 'emacs'])('%s has no file, and the error says what to enter there', (name) => {
  expect(() => findHost(name)).toThrow(
    expect.objectContaining({
      code: 'unknown-host',
      message: expect.stringMatching(/has no file that other programs should write.*mcpx.* give its absolute path/),
    }),
  );
});
