import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coversPattern } from '../../src/checks/rule-cover.js';
import { checkConfig } from '../../src/index.js';

const servers = {
  file: 'servers.yaml',
  text: `mcp_servers:
  git: { command: x }
  my: { command: x }
  my.files: { command: x }
  fenced: { command: x, denied_tools: [push, "delete_*"] }
  listed: { command: x, allowed_tools: [log, "read_*"] }
`,
};

const deadRules = (...allowed: string[]) =>
  checkConfig([
    servers,
    {
      file: 'tools.yaml',
      text: `tools: { t: { role_restrictions: { r: { allowed_tools: ${JSON.stringify(allowed)} } } } }`,
    },
  ]).issues.map((issue) => (issue.code === 'dead-rule' ? `${issue.rule} by ${issue.by.rule}` : issue.code));

describe('a rule of a role is dead', () => {
  test.each([
    [['git', 'git.log'], ['git.log by git']],
    [['git.log', 'git'], ['git.log by git']],
    [
      ['git.*', 'git.log', 'git.read_*'],
      ['git.log by git.*', 'git.read_* by git.*'],
    ],
    [['git.read_*', 'git.read_file', 'git.write_file'], ['git.read_file by git.read_*']],
    [['bash', 'git.log', 'bash'], ['bash by bash']],
    [['git.*_file', 'git.read_*_file'], ['git.read_*_file by git.*_file']],
    [['my', 'my.read'], ['my.read by my']],
    [['my', 'my.files.read'], []], // also a tool of the server "my.files"
    [['my', 'my.files'], []],
    [['my.files', 'my.files.*'], []],
    [['git', 'git.*'], ['git.* by git']],
    [['git.*', 'git'], ['git.* by git']],
    [['git', 'gitea.log', 'bash'], ['unknown-server']],
  ])('%j', (rules, dead) => {
    expect(deadRules(...rules)).toEqual(dead);
  });

  test('when the server itself denies the tool, or does not list it', () => {
    expect(deadRules('fenced.push', 'fenced.pull', 'fenced.delete_*')).toEqual([
      'fenced.push by push',
      'fenced.delete_* by delete_*',
    ]);
    expect(deadRules('listed.log', 'listed.read_file', 'listed.write_file')).toEqual([
      'listed.write_file by allowed_tools',
    ]);
    expect(deadRules('listed.*')).toEqual([]);
  });
});

test('the issue says which rule decides, and where it stands', () => {
  const text =
    'mcp_servers:\n  git:\n    command: x\n    denied_tools: ["push*"]\n    allowed_tools: [git.push_all, log]\n';
  expect(checkConfig({ file: 'm.yaml', text }).issues).toEqual([
    {
      code: 'dead-rule',
      severity: 'warning',
      message: '"push_all" has no effect here: "push*" on line 4 denies it',
      rule: 'push_all',
      by: { rule: 'push*', file: 'm.yaml', line: 4, column: 20 },
      hint: 'remove one of the two',
      file: 'm.yaml',
      line: 5,
      column: 21,
      path: ['mcp_servers', 'git', 'allowed_tools', 0],
    },
  ]);
});

test('rules of different roles and tools do not touch one another', () => {
  const text = `tools:
  a: { role_restrictions: { r: { allowed_tools: [git] }, s: { allowed_tools: [git.log] } } }
  b: { role_restrictions: { r: { allowed_tools: [git.log] } } }
`;
  expect(checkConfig([servers, { text }]).issues).toEqual([]);
});

test('a pattern that covers another one matches all that it matches', () => {
  const pattern = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 6 }).map((parts) => parts.join(''));
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 6 }).map((parts) => parts.join(''));
  const matches = (written: string, candidate: string) =>
    new RegExp(`^${written.replaceAll('*', '.*')}$`).test(candidate);
  fc.assert(
    fc.property(pattern, pattern, text, (wide, narrow, candidate) => {
      fc.pre(coversPattern(wide, narrow) && matches(narrow, candidate));
      expect(matches(wide, candidate)).toBe(true);
    }),
  );
});

test('a hundred thousand rules end in warnings, not in a wait', () => {
  const rules = Array.from({ length: 100_000 }, (_, n) => (n % 2 ? `git.tool_${n}` : `git.*${n}*`));
  const text = JSON.stringify({ tools: { t: { role_restrictions: { r: { allowed_tools: rules } } } } });
  expect(checkConfig([servers, { file: 'tools.json', text }]).issues.length).toBeGreaterThan(1_000);
});
