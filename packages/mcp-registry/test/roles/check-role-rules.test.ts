import { describe, expect, test } from 'vitest';
import { checkRoleRules, findDefaultRole } from '../../src/roles/check-role-rules.js';
import { compileRole } from '../../src/roles/compile-role.js';
import { NO_SERVERS } from '../helpers/known-servers.js';

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
    ['roles[0].denied_tools is not a field; did you mean roles[0].deniedTools?', [{ ...rule, denied_tools: [] }]],
    ['roles[0].denyTools is not a field', [{ ...rule, denyTools: [] }]],
    ['did you mean roles[0].deniedTools?', [{ ...rule, DeniedTools: [] }]],
    ['did you mean roles[0].allowedTools?', [{ ...rule, allowdTools: [] }]],
    ['roles[0].disallowedTools is not a field', [{ ...rule, disallowedTools: [] }]],
    ['roles[0].blockedTools is not a field', [{ ...rule, blockedTools: [] }]],
    ['roles[0].toolsBlocked is not a field', [{ ...rule, toolsBlocked: [] }]],
    ['roles[0].tools is not a field', [{ ...rule, tools: [] }]],
    ['roles[0].default is not a field', [{ ...rule, default: true }]],
    ['roles[0].isDefualt is not a field; did you mean roles[0].isDefault?', [{ ...rule, isDefualt: true }]],
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
  ])('an invalid rule is refused: %s', (message, rules) => {
    expect(() => checkRoleRules(rules as never)).toThrow(TypeError);
    expect(() => checkRoleRules(rules as never)).toThrow(message);
  });

  test('later changes of the given rules have no effect', () => {
    const allowedTools = ['git.log'];
    const deniedTools = ['git.push'];
    const requiredAnnotations = { readOnlyHint: false };
    const rules = checkRoleRules([{ role: 'dev', allowedTools, deniedTools, requiredAnnotations }]);
    allowedTools.push('git');
    deniedTools.pop();
    requiredAnnotations.readOnlyHint = true;
    expect(compileRole(rules, 'dev', NO_SERVERS)({ server: 'git', tool: 'push' }).isAllowed).toBe(false);
    expect(compileRole(rules, 'dev', NO_SERVERS)({ server: 'git', tool: 'log' }).isAllowed).toBe(true);
  });

  test('unknown keys are kept', () => {
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

test('several rules may declare the same default role', () => {
  expect(findDefaultRole([])).toBeUndefined();
  expect(findDefaultRole([rule, { ...rule, role: 'b', isDefault: false }])).toBeUndefined();
  const rules = [
    { ...rule, isDefault: true },
    { ...rule, isDefault: true },
    { ...rule, role: 'b' },
  ];
  expect(findDefaultRole(rules)).toBe('a');
});

test('a checked rule has only the given lists', () => {
  const [rule] = checkRoleRules([
    { role: 'r', allowedTools: ['git'], deniedTools: undefined, requiredAnnotations: { readOnlyHint: undefined } },
  ]);
  expect(rule).toStrictEqual({
    role: 'r',
    allowedTools: ['git'],
    deniedTools: undefined,
    requiredAnnotations: { readOnlyHint: undefined },
  });
  expect(checkRoleRules([{ role: 'r', allowedTools: [] }])[0]).toStrictEqual({ role: 'r', allowedTools: [] });
});

test('a key that contains the name of a list is not mistaken for it', () => {
  expect(() => checkRoleRules([{ role: 'r', allowedTools: [], notDenied: true, xallow: 1 } as never])).not.toThrow();
});

test.each([[null], ['readOnlyHint'], [{ readOnlyHint: 'yes' }], [{ other: true }]])(
  'invalid requiredAnnotations are refused: %j',
  (requiredAnnotations) => {
    expect(() => checkRoleRules([{ role: 'r', allowedTools: [], requiredAnnotations } as never])).toThrow(
      new TypeError(
        'roles[0].requiredAnnotations must be { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }, each true or false',
      ),
    );
  },
);

describe('roles that cannot be inherited', () => {
  const rule = (role: string, ...inherits: string[]) => ({ role, allowedTools: [], inherits });
  const many = (count: number) => Array.from({ length: count }, (_, index) => rule(`r${index}`, `r${index + 1}`));

  test.each([
    [[rule('a', 'x', 'y')], 'roles: "a" inherits "x", which no rule names; roles are "a"'],
    [
      [...many(9), rule('r9', 'ghost')],
      'roles: "r9" inherits "ghost", which no rule names; roles are "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"',
    ],
    [
      [...many(10), rule('r10', 'ghost')],
      'roles: "r10" inherits "ghost", which no rule names; roles are "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", …',
    ],
    [
      [rule('lead', 'a'), rule('a', 'b'), rule('b', 'a')],
      'roles: "a" inherits "b" inherits "a"; a role cannot inherit itself, remove one of these',
    ],
    [
      [...many(8), rule('r8', 'r0')],
      'roles: "r0" inherits "r1" inherits "r2" inherits "r3" inherits "r4" inherits "r5" inherits "r6" inherits "r7" inherits "r8" inherits "r0"; a role cannot inherit itself, remove one of these',
    ],
    [
      [...many(11), rule('r11', 'r0')],
      'roles: "r0" inherits "r1" inherits "r2" inherits "r3" inherits "r4" inherits "r5" inherits "r6" inherits "r7" inherits "r8" inherits "r0"; a role cannot inherit itself, remove one of these',
    ],
  ])('are named, ten at most', (rules, message) => {
    expect(() => checkRoleRules(rules)).toThrow(new TypeError(message));
  });

  test('a role with two heirs is not circular', () => {
    expect(() =>
      checkRoleRules([rule('top', 'left', 'right'), rule('left', 'base'), rule('right', 'base', 'left'), rule('base')]),
    ).not.toThrow();
  });
});
