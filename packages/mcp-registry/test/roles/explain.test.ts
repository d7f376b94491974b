import { createListSource, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { describePlace, explainDecision } from '../../src/roles/explain-role.js';

const source = { file: 'tools.yaml', line: 5, column: 7 };
const roles = [
  { role: 'base', allowedTools: ['files.read_*'], deniedTools: ['*.purge'], tool: 'editor', source },
  {
    role: 'review',
    allowedTools: ['git', 'files.purge'],
    requiredAnnotations: { readOnlyHint: true },
    inherits: ['base'],
  },
  { role: 'none', allowedTools: [] },
];

async function createExplained() {
  const registry = createRegistry({ roles });
  const annotations = { readOnlyHint: true };
  await registry.attach(createListSource('files', [tool('read_text', { annotations }), tool('write'), tool('purge')]))
    .ready;
  await registry.attach(createListSource('git', [tool('log', { annotations }), tool('push')])).ready;
  return registry;
}

test.each([
  [
    'base',
    'files.read_text',
    'allowed',
    'The role "base" may use "read_text" of server "files": the rule at tools.yaml:5:7 (tool "editor") allows it with "files.read_*".',
  ],
  [
    'review',
    'mcp__files__read_text',
    'allowed',
    'The role "review" may use "read_text" of server "files": the rule at tools.yaml:5:7 of the role "base", which it inherits, (tool "editor") allows it with "files.read_*".',
  ],
  [
    'review',
    'git.log',
    'allowed',
    'The role "review" may use "log" of server "git": the rule at roles[1] allows it with "git".',
  ],
  [
    'review',
    'git.push',
    'denied',
    'The role "review" may not use "push" of server "git": the rule at roles[1] requires readOnlyHint: true, and the tool does not say so of itself.',
  ],
  [
    'review',
    'files.purge',
    'denied',
    'The role "review" may not use "purge" of server "files": the rule at tools.yaml:5:7 of the role "base", which it inherits, (tool "editor") denies it with "*.purge".',
  ],
  [
    'review',
    'files.write',
    'denied',
    'The role "review" may not use "write" of server "files": the rule at roles[1] does not allow it.',
  ],
  [
    'review',
    'search_mcp_tools',
    'allowed',
    'The role "review" may use "search_mcp_tools": it reaches only what the role may use.',
  ],
  [
    'none',
    'search_mcp_tools',
    'denied',
    'The role "none" may not use "search_mcp_tools": the rule at roles[2] does not allow it.',
  ],
  [
    'ops',
    'git.log',
    'denied',
    'The role "ops" may not use "log" of server "git": no rule names the role "ops", so it sees nothing. Roles are "base", "review", "none".',
  ],
  ['review', 'git.nothing', 'unknown', 'There is no tool named "git.nothing" right now.'],
  [
    'ops',
    'git.nothing',
    'unknown',
    'There is no tool named "git.nothing" right now. Besides, no rule names the role "ops", so it sees nothing. Roles are "base", "review", "none".',
  ],
])('%s, %s: %s', async (role, name, decision, message) => {
  const registry = await createExplained();
  expect(await registry.explain(role, name)).toMatchObject({ role, name, decision, message });
});

test('the rule is the one that was given, with its place', async () => {
  const registry = await createExplained();
  expect(await registry.explain('review', 'files.purge')).toMatchObject({
    server: 'files',
    tool: 'purge',
    reason: 'denied',
    pattern: '*.purge',
    rule: roles[0],
  });
});

test('is correct: the role can call exactly the tools that are explained as allowed', async () => {
  const registry = await createExplained();
  for (const role of ['base', 'review', 'none', 'ops']) {
    const view = registry.view({ role });
    for (const { name } of registry.list()) {
      expect((await registry.explain(role, name)).decision === 'allowed').toBe(view.get(name) !== undefined);
    }
  }
});

test('views do not explain', async () => {
  const registry = await createExplained();
  expect('explain' in registry.view({ role: 'review' })).toBe(false);
  expect('policy' in registry.view()).toBe(false);
  await expect(registry.explain(undefined as never, 'x')).rejects.toThrow(TypeError);
  await expect(registry.explain('review', undefined as never)).rejects.toThrow(TypeError);
});

test.each([
  [5, 'a', 'role must be a text, got 5'],
  ['a', undefined, 'tool must be a text, got undefined'],
])('explain(%j, %j) is refused with the name of what is wrong', async (role, name, message) => {
  await expect(createRegistry().explain(role as never, name as never)).rejects.toThrow(new TypeError(message));
});

test('a server that is outside of the group, and one that waits for an approval, are named as the reason', async () => {
  const registry = createRegistry({ roles: [{ role: 'r', allowedTools: ['files'] }], trust: 'approve' });
  await registry.attach(createListSource('files', [tool('read')])).ready;
  const view = { name: 'mcp__files__read', server: 'files', tool: 'read', inputSchema: {} } as never;
  for (const [reason, why] of [
    ['outside-group', 'its server is not in the group.'],
    ['held-back', 'its server waits for an approval.'],
  ] as const) {
    const decision = { isAllowed: false, reason } as const;
    expect(explainDecision({ role: 'r', name: 'files.read', view, decision }, [])).toStrictEqual({
      role: 'r',
      name: 'files.read',
      server: 'files',
      tool: 'read',
      reason,
      decision: 'denied',
      message: `The role "r" may not use "read" of server "files": ${why}`,
    });
  }
});

test('a built-in tool is explained without a server', async () => {
  const registry = await createExplained();
  const rule = expect.objectContaining({ role: 'base' });
  expect(await registry.explain('base', 'search_mcp_tools')).toStrictEqual({
    role: 'base',
    name: 'search_mcp_tools',
    tool: 'search_mcp_tools',
    rule,
    decision: 'allowed',
    message: 'The role "base" may use "search_mcp_tools": it reaches only what the role may use.',
  });
});

test.each([
  [0, 'There are no roles.'],
  [10, 'Roles are "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9".'],
  [11, 'Roles are "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", ….'],
])('an unknown role gets the first ten of %i roles', async (count, known) => {
  const rules = Array.from({ length: count }, (_, index) => ({ role: `r${index}`, allowedTools: [] }));
  const decision = { isAllowed: false, reason: 'unknown-role' } as const;
  const tools = ['reads', 'dread', 'write'].map((name) => ({
    name,
    tool: name,
    server: undefined,
    state: 'running' as const,
    inputSchema: {},
  }));
  const explained = { role: 'ghost', name: 'read', view: undefined, decision, tools };
  expect(explainDecision(explained, rules).message).toBe(
    `There is no tool named "read" right now. Near: dread, reads. Besides, no rule names the role "ghost", so it sees nothing. ${known}`,
  );
});

test('the place of a rule without a file is its line and column', () => {
  const rule = { role: 'r', allowedTools: [], source: { line: 3, column: 5 } } as never;
  expect(describePlace(rule, [rule])).toBe('3:5');
});
