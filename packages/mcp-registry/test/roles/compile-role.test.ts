import { describe, expect, test } from 'vitest';
import { checkRoleRules, compileRole } from '../../src/roles/compile-role.js';

const log = { server: 'git', tool: 'log' };
const search = { server: undefined, tool: 'search_mcp_tools' };

describe('compileRole', () => {
  test('an unknown role may use nothing at all', () => {
    const policy = compileRole([{ role: 'dev', allowedTools: ['git'] }], 'ops');
    expect([policy(log), policy(search)]).toEqual([{ isAllowed: false }, { isAllowed: false }]);
  });

  test('an empty list allows nothing, and says which rule it is', () => {
    const rule = { role: 'dev', allowedTools: [] };
    expect(compileRole([rule], 'dev')(log)).toEqual({ isAllowed: false, rule });
    expect(compileRole([rule], 'dev')(search)).toEqual({ isAllowed: false, rule });
  });

  test('several rules for one role are restrictions that add up', () => {
    const wide = { role: 'dev', allowedTools: ['git', 'files'] };
    const narrow = { role: 'dev', allowedTools: ['git.log', 'web'] };
    const policy = compileRole([wide, { role: 'other', allowedTools: [] }, narrow], 'dev');
    expect(policy(log)).toEqual({ isAllowed: true });
    expect(policy({ server: 'git', tool: 'push' })).toEqual({ isAllowed: false, rule: narrow });
    expect(policy({ server: 'web', tool: 'get' })).toEqual({ isAllowed: false, rule: wide });
  });

  test('whoever may use something may search, and one empty rule takes that away', () => {
    const rules = [{ role: 'dev', allowedTools: ['git.log'] }];
    expect(compileRole(rules, 'dev')(search).isAllowed).toBe(true);
    expect(compileRole([...rules, { role: 'dev', allowedTools: [] }], 'dev')(search).isAllowed).toBe(false);
  });

  test('a tool of a server that is named like the tool search is no tool search', () => {
    const policy = compileRole([{ role: 'dev', allowedTools: ['git.log'] }], 'dev');
    expect(policy({ server: 'evil', tool: 'search_mcp_tools' }).isAllowed).toBe(false);
  });
});

describe('checkRoleRules', () => {
  test.each([
    ['roles must be a list', {}],
    ['roles[0].role', [{ allowedTools: [] }]],
    ['roles[0].role', [null]],
    ['roles[1].allowedTools', [{ role: 'a', allowedTools: [] }, { role: 'b' }]],
    ['roles[0].allowedTools', [{ role: 'a', allowedTools: [1] }]],
  ])('what is no rule is refused: %s', (message, rules) => {
    expect(() => checkRoleRules(rules as never)).toThrow(message);
  });

  test('rules that change later change nothing', () => {
    const allowedTools = ['git.log'];
    const rules = checkRoleRules([{ role: 'dev', allowedTools }]);
    allowedTools.push('git');
    expect(compileRole(rules, 'dev')({ server: 'git', tool: 'push' }).isAllowed).toBe(false);
  });
});
