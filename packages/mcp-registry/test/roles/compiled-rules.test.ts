import { describe, expect, test } from 'vitest';
import { CompiledRules } from '../../src/roles/compiled-rules.js';
import type { RoleRule } from '../../src/roles/role-rule.js';
import type { KnownServers } from '../../src/roles/tool-pattern.js';

function knowing(...servers: readonly string[]): KnownServers {
  const has = (server: string) => servers.includes(server);
  return { has, knows: has, toolsOf: () => undefined };
}

const rule = (role: string, fields: Partial<RoleRule> = {}): RoleRule => ({ role, allowedTools: [], ...fields });

/** True if a role gets a new version when servers of these names become known or are forgotten. */
function isReadAnew(own: Partial<RoleRule>, names: readonly string[], known: readonly string[]): boolean {
  const rules = new CompiledRules([rule('r', own), rule('other', { allowedTools: ['zzz'] })], knowing(...known));
  const { version } = rules.of('r');
  const others = rules.of('other').version;
  const answer = rules.recompile(names);
  expect(rules.of('other').version).toBe(others);
  expect(answer).toBe(rules.of('r').version !== version);
  return answer;
}

describe('readAnew', () => {
  test.each<
    [what: string, own: Partial<RoleRule>, names: readonly string[], known: readonly string[], expected: boolean]
  >([
    ['a longer name comes between', { allowedTools: ['a.b.c'] }, ['a.b'], ['a'], true],
    ['one of several names comes between', { allowedTools: ['a.b.c'] }, ['x', 'a.b'], ['a'], true],
    ['no other server fits', { allowedTools: ['a.b.c'] }, ['a.b'], [], false],
    ['a longer name is known already', { allowedTools: ['a.b.c'] }, ['a'], ['a.b'], false],
    ['a name begins the entry and fits nothing', { allowedTools: ['a.b.c'] }, ['a.b.c.d', 'a.'], ['a'], false],
    ['a public name reads as a longer server', { allowedTools: ['mcp__a__b__*'] }, ['a__b'], ['a'], true],
    ['a prompt is meant', { allowedPrompts: ['a.b.c'] }, ['a.b'], ['a'], true],
    ['a resource is meant', { allowedResources: ['a.b.c'] }, ['a.b'], ['a'], true],
    ['a slash separates no server from a URI', { allowedResources: ['a/b.c'] }, ['a/b'], ['a'], false],
    ['an entry says nothing of the server', { allowedTools: ['other'] }, ['a.b'], ['a'], false],
  ])('%s', (_what, own, names, known, expected) => {
    expect(isReadAnew(own, names, known)).toBe(expected);
  });

  test('an heir gets a new version with the role that it inherits', () => {
    const all = [rule('parent', { allowedTools: ['a.b.c'] }), rule('heir', { inherits: ['parent'] })];
    const rules = new CompiledRules(all, knowing('a'));
    const { version } = rules.of('heir');
    expect(rules.recompile(['a.b'])).toBe(true);
    expect(rules.of('heir').version).not.toBe(version);
  });

  test('one of several rules of a role is enough', () => {
    const all = [rule('r'), rule('r', { allowedTools: ['a.b.c'] })];
    const rules = new CompiledRules(all, knowing('a'));
    const { version } = rules.of('r');
    expect(rules.recompile(['a.b'])).toBe(true);
    expect(rules.of('r').version).not.toBe(version);
  });

  test('a role without a view is not recompiled', () => {
    expect(new CompiledRules([rule('r', { allowedTools: ['a.b.c'] })], knowing('a')).recompile(['a.b'])).toBe(false);
  });
});

describe('of', () => {
  const subject = { server: 'a', tool: 't' };

  test.each([[undefined], ['nobody']])('the role %s may use nothing under any rules', (role) => {
    const one = new CompiledRules([rule('r', { allowedTools: ['a'] })], knowing('a'));
    const two = new CompiledRules([], knowing());
    expect(one.of(role).policy(subject)).toEqual({
      isAllowed: false,
      reason: 'unknown-role',
      message: role && expect.stringContaining(`no rule names the role "${role}"`),
    });
    expect(one.of(role).version).toBe(two.of(undefined).version);
  });

  test('a role with equal new rules keeps its version', () => {
    const before = new CompiledRules([rule('r', { allowedTools: ['a'] }), rule('s')], knowing('a'));
    const [r, s] = [before.of('r').version, before.of('s').version];
    const after = new CompiledRules(
      [rule('s', { allowedTools: ['b'] }), rule('r', { allowedTools: ['a'], tool: 'moved' })],
      knowing('a'),
      before,
    );
    expect(after.of('r').version).toBe(r);
    expect(after.of('s').version).not.toBe(s);
  });
});
