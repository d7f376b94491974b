import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  coversPattern,
  coversRule,
  hasMisplacedStar,
  patternsMeet,
  RuleMeanings,
} from '../../src/checks/rule-cover.js';
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

describe('a role rule has no effect', () => {
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
    [['my', 'my.files.read'], []], // a tool of the server "my.files"
    [['my', 'my.files'], []],
    [['my.files', 'my.files.*'], ['my.files.* by my.files']],
    [['my.files', 'my.files.read', 'my.other'], ['my.files.read by my.files']],
    [['git', 'git.*'], ['git.* by git']],
    [['git.*', 'git'], ['git.* by git']],
    [['git', 'gitea.log', 'bash'], ['unknown-server']],
  ])('%j', (rules, dead) => {
    expect(deadRules(...rules)).toEqual(dead);
  });

  test('if the server denies the tool or does not list it', () => {
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

describe('a server rule has no effect', () => {
  const ofServer = (entry: object) =>
    checkConfig({ text: JSON.stringify({ mcp_servers: { a: { command: 'x', ...entry } } }) }).issues.map((issue) =>
      issue.code === 'dead-rule' ? `${issue.rule} by ${issue.by.rule}` : issue.code,
    );

  test.each([
    [['read'], ['write'], ['write by allowed_tools']],
    [['read'], ['write_*', 'a.list'], ['write_* by allowed_tools', 'list by allowed_tools']],
    [['read_*'], ['*_file', 'read_all', 'write_*'], ['write_* by allowed_tools']],
    [
      ['read', 'list_*'],
      ['list_all', 're*', 'x*'],
      ['read by re*', 'x* by allowed_tools'],
    ],
    [[], ['write'], ['write by allowed_tools']],
    [undefined, ['write'], []],
  ])('%j allowed, %j denied', (allowed_tools, denied_tools, dead) => {
    expect(ofServer({ allowed_tools, denied_tools }).toSorted()).toEqual(dead.toSorted());
  });

  test('but the search is limited for a very large number of stars', () => {
    const names = (start: string) => Array.from({ length: 9_000 }, (_, n) => `${start}_${n}${n % 3 ? '' : '_*'}`);
    expect(ofServer({ allowed_tools: names('a'), denied_tools: names('b') })).toEqual([]);
  });
});

test.each([
  ['git.log', 'git/log'],
  ['git/log', 'mcp__git__log'],
  ['mcp__git__log', 'git.log'],
  ['git/*', 'git.log'],
  ['mcp__git__*', 'git/log'],
])('%s covers %s, another spelling', (wide, narrow) => {
  expect(deadRules(wide, narrow)).toEqual([`${narrow} by ${wide}`]);
});

test.each(['git.log', 'git/log', 'mcp__git__log', 'log', 'git', 'git/*', 'mcp__*__log', 'mcp__git__*', 'l*'])(
  'a denial with the spelling %s covers all rules for the tool',
  (denied) => {
    for (const rule of ['git.log', 'git/log', 'mcp__git__log']) {
      const text = JSON.stringify({
        tools: { t: { role_restrictions: { r: { allowed_tools: [rule], denied_tools: [denied] } } } },
      });
      const { issues } = checkConfig([{ text: 'mcp_servers: { git: { command: x } }' }, { text }]);
      expect(issues).toMatchObject([{ code: 'dead-rule', rule, by: { rule: denied } }]);
    }
  },
);

test('a star without a meaning does not cover other rules', () => {
  expect(deadRules('*', '*.log', 'git.log', '*')).toEqual(['misplaced-star', 'misplaced-star', 'misplaced-star']);
});

test('a covering rule allows every tool that the covered rule allows', () => {
  const servers = fc.subarray(['a', 'a.b', 'b', 'c']).map((known) => new Set(known));
  const rule = fc.array(fc.constantFrom('a', 'b', 'c', '.', '*', '/', 'mcp__', '__'), { minLength: 1, maxLength: 6 });
  const text = rule.map((parts) => parts.join(''));
  const tool = fc.array(fc.constantFrom('a', 'b', 'c', '.'), { minLength: 1, maxLength: 4 });
  // Meaning of a rule in calls: a full server name, optionally with a pattern for its tools. The longest fitting server
  // counts.
  const fits = (written: string, server: string) =>
    written === server || [`${server}.`, `${server}/`, `mcp__${server}__`].some((start) => written.startsWith(start));
  const allows = (known: ReadonlySet<string>, written: string, server: string, name: string) =>
    Array.from(known).every((other) => other.length <= server.length || !fits(written, other)) &&
    (written === server ||
      [`${server}.`, `${server}/`, `mcp__${server}__`].some(
        (start) => written.startsWith(start) && coversPattern(written.slice(start.length), name),
      ));
  fc.assert(
    fc.property(servers, text, text, tool, (known, wide, narrow, parts) => {
      if (!coversRule(wide, narrow, new RuleMeanings(known))) return;
      for (const server of known) {
        const name = parts.join('');
        if (allows(known, narrow, server, name)) expect(allows(known, wide, server, name)).toBe(true);
      }
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(servers, text, tool, (known, written, parts) => {
      if (!hasMisplacedStar(written, known)) return;
      for (const server of known) expect(allows(known, written, server, parts.join(''))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('patterns meet exactly if some text matches both', () => {
  const pattern = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 4 }).map((parts) => parts.join(''));
  const texts = [''];
  for (let length = 1; length <= 6; length++) {
    for (const text of texts.filter((one) => one.length === length - 1)) texts.push(`${text}a`, `${text}b`);
  }
  fc.assert(
    fc.property(pattern, pattern, (one, other) => {
      const meeting = texts.find((text) => coversPattern(one, text) && coversPattern(other, text));
      expect(patternsMeet(one, other)).toBe(meeting !== undefined);
    }),
    { numRuns: 300 },
  );
});

test('the issue has the deciding rule and its position', () => {
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

test('rules of different roles and tools do not affect each other', () => {
  const text = `tools:
  a: { role_restrictions: { r: { allowed_tools: [git] }, s: { allowed_tools: [git.log] } } }
  b: { role_restrictions: { r: { allowed_tools: [git.log] } } }
`;
  expect(checkConfig([servers, { text }]).issues).toEqual([]);
});

test('a covering pattern matches everything that the covered one matches', () => {
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

test('a hundred thousand rules are checked quickly', () => {
  const rules = Array.from({ length: 18_000 }, (_, n) => (n % 2 ? `git.tool_${n}` : `git.*${n}*`));
  const tools = Array.from({ length: 6 }, (_, n) => [`t${n}`, { role_restrictions: { r: { allowed_tools: rules } } }]);
  const text = JSON.stringify({ tools: Object.fromEntries(tools) });
  const { issues } = checkConfig([servers, { file: 'tools.json', text }]);
  expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(['dead-rule', 'too-many-issues']));
});
