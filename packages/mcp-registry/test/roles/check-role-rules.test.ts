import { describe, expect, test } from 'vitest';
import { checkRoleRules, findDefaultRole } from '../../src/roles/check-role-rules.js';
import { compileRole } from '../../src/roles/compile-role.js';

const rule = { role: 'a', allowedTools: ['git'] };

describe('checkRoleRules', () => {
  test.each([
    ['roles must be a list', {}],
    ['roles[0].role', [{ allowedTools: [] }]],
    ['roles[0].role', [null]],
    ['roles[1].allowedTools', [{ role: 'a', allowedTools: [] }, { role: 'b' }]],
    ['roles[0].allowedTools', [{ role: 'a', allowedTools: [1] }]],
    ['roles[0].deniedTools', [{ ...rule, deniedTools: 'git' }]],
    ['roles[0].allowedResources', [{ ...rule, allowedResources: [null] }]],
    ['roles[0].allowedPrompts', [{ ...rule, allowedPrompts: null }]],
    ['roles[0].inherits', [{ ...rule, inherits: 'b' }]],
    ['roles[0].isDefault', [{ ...rule, isDefault: 'yes' }]],
    ['roles[0].requiredAnnotations', [{ ...rule, requiredAnnotations: { readOnly: true } }]],
    ['roles[0].requiredAnnotations', [{ ...rule, requiredAnnotations: { readOnlyHint: 'true' } }]],
    ['roles[0].requiredAnnotations', [{ ...rule, requiredAnnotations: null }]],
    ['roles[0].requiredAnnotations', [{ ...rule, requiredAnnotations: true }]],
    ['roles[0] has denied_tools, which is none of allowedTools, deniedTools', [{ ...rule, denied_tools: [] }]],
    ['roles[0] has denyTools', [{ ...rule, denyTools: [] }]],
    ['roles[0] has default', [{ ...rule, default: true }]],
    ['"a" inherits "b", which no rule names', [{ ...rule, inherits: ['b'] }]],
    [
      '"a" inherits "b" inherits "a"',
      [
        { ...rule, inherits: ['b'] },
        { ...rule, role: 'b', inherits: ['a'] },
      ],
    ],
    [
      'both "a" and "b" are the default',
      [
        { ...rule, isDefault: true },
        { ...rule, role: 'b', isDefault: true },
      ],
    ],
  ])('what is no rule is refused: %s', (message, rules) => {
    expect(() => checkRoleRules(rules as never)).toThrow(TypeError);
    expect(() => checkRoleRules(rules as never)).toThrow(message);
  });

  test('rules that change later change nothing', () => {
    const allowedTools = ['git.log'];
    const deniedTools = ['git.push'];
    const requiredAnnotations = { readOnlyHint: false };
    const rules = checkRoleRules([{ role: 'dev', allowedTools, deniedTools, requiredAnnotations }]);
    allowedTools.push('git');
    deniedTools.pop();
    requiredAnnotations.readOnlyHint = true;
    expect(compileRole(rules, 'dev')({ server: 'git', tool: 'push' }).isAllowed).toBe(false);
    expect(compileRole(rules, 'dev')({ server: 'git', tool: 'log' }).isAllowed).toBe(true);
  });

  test('what is not read stays', () => {
    const source = { file: 'tools.yaml', line: 3, column: 7 };
    expect(checkRoleRules([{ ...rule, tool: 'editor', source, more: 1 } as never])).toEqual([
      { ...rule, tool: 'editor', source, more: 1 },
    ]);
  });

  test('ten thousand roles that inherit one another are checked at once', () => {
    const rules = Array.from({ length: 10_000 }, (_, n) => ({
      role: `r${n}`,
      allowedTools: [],
      inherits: n === 0 ? [] : [`r${n - 1}`],
    }));
    expect(checkRoleRules(rules)).toHaveLength(10_000);
    expect(() => checkRoleRules([...rules, { role: 'r0', allowedTools: [], inherits: ['r9999'] }])).toThrow(/inherits/);
  });
});

test('the default role may be said by several rules', () => {
  expect(findDefaultRole([])).toBeUndefined();
  expect(findDefaultRole([rule, { ...rule, role: 'b', isDefault: false }])).toBeUndefined();
  const rules = [
    { ...rule, isDefault: true },
    { ...rule, isDefault: true },
    { ...rule, role: 'b' },
  ];
  expect(findDefaultRole(rules)).toBe('a');
});
