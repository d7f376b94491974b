import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkConfig, parseConfig } from '../../src/index.js';

const servers = { file: 'servers.yaml', text: 'mcp_servers:\n  git: { command: x }\n  files: { command: x }\n' };

const withRoles = (roles: object, file = 'tools.json') => ({
  file,
  text: JSON.stringify({ tools: { t: { role_restrictions: roles } } }),
});
const found = (...inputs: { file: string; text: string }[]) =>
  checkConfig([servers, ...inputs]).issues.map(({ code, severity, message }) => `${severity} ${code} ${message}`);

test('loads all fields of a role', () => {
  const text = `tools:
  t:
    role_restrictions:
      base: { allowed_tools: [files] }
      review:
        allowed_tools: [git]
        denied_tools: ["*.write_*"]
        ask_before: [git.push, destructive]
        required_annotations: { readOnlyHint: true }
        allowed_resources: ["files.file:///srv/docs/*"]
        allowed_prompts: [git.review_*]
        inherits: [base]
        default: true
`;
  const source = { file: 'tools.yaml', line: 5, column: 7 };
  expect(checkConfig([servers, { file: 'tools.yaml', text }]).issues).toEqual([]);
  expect(parseConfig([servers, { file: 'tools.yaml', text }]).roles).toEqual([
    { role: 'base', allowedTools: ['files'], tool: 't', source: { file: 'tools.yaml', line: 4, column: 7 } },
    {
      role: 'review',
      allowedTools: ['git'],
      deniedTools: ['*.write_*'],
      askBefore: ['git.push', 'destructive'],
      requiredAnnotations: { readOnlyHint: true },
      allowedResources: ['files.file:///srv/docs/*'],
      allowedPrompts: ['git.review_*'],
      inherits: ['base'],
      isDefault: true,
      tool: 't',
      source,
    },
  ]);
});

describe('shapes', () => {
  test.each([
    [{ denied_tools: 'git' }, 'a list of tool names'],
    [{ ask_before: 'destructive' }, 'a list of tool names'],
    [{ inherits: 'base' }, 'a list of roles'],
    [{ default: 'yes' }, 'true or false'],
    [{ required_annotations: { readOnlyHint: 'true' } }, 'true or false'],
    [{ required_annotations: [] }, 'a mapping of readOnlyHint, destructiveHint, idempotentHint or openWorldHint'],
    [{ allowed_prompts: [5] }, 'text that is not empty'],
  ])('%j is not a restriction and prevents a config', (more, expected) => {
    const check = checkConfig([servers, withRoles({ r: { allowed_tools: ['git'], ...more } })]);
    expect(check.issues).toMatchObject([{ code: 'invalid-value', expected: expect.stringContaining(expected) }]);
    expect([check.config, check.partial]).toEqual([undefined, undefined]);
  });

  test('a misspelled key is an error, so that intended restrictions are not lost', () => {
    const roles = {
      r: { allowed_tools: ['git'], deny_tools: ['git.push'], required_annotations: { readonlyHint: true } },
    };
    expect(checkConfig([servers, withRoles(roles)]).issues).toMatchObject([
      { code: 'unknown-key', severity: 'error', key: 'deny_tools', didYouMean: 'denied_tools' },
      { code: 'unknown-key', severity: 'error', key: 'readonlyHint', didYouMean: 'readOnlyHint' },
    ]);
  });
});

describe('inherits', () => {
  test('may name roles of other tools and files', () => {
    const heir = withRoles({ r: { allowed_tools: [], inherits: ['base'] } }, 'a.json');
    expect(
      found(heir, { file: 'b.json', text: '{"tools":{"u":{"role_restrictions":{"base":{"allowed_tools":[]}}}}}' }),
    ).toEqual([]);
  });

  test('an unknown role is an error with a suggestion', () => {
    const roles = { base: { allowed_tools: [] }, r: { allowed_tools: [], inherits: ['bsae', 'other'] } };
    expect(checkConfig([servers, withRoles(roles)]).issues).toMatchObject([
      {
        code: 'unknown-role',
        severity: 'error',
        role: 'bsae',
        didYouMean: 'base',
        path: ['tools', 't', 'role_restrictions', 'r', 'inherits', 0],
      },
      { code: 'unknown-role', role: 'other', didYouMean: undefined },
    ]);
  });

  test('a role with an invalid entry is not reported as unknown', () => {
    const roles = { base: { allowed_tools: 5 }, r: { allowed_tools: [], inherits: ['base'] } };
    expect(checkConfig([servers, withRoles(roles)]).issues).toMatchObject([{ code: 'invalid-value' }]);
  });

  test('a role is not reported as unknown while a text is unreadable', () => {
    const roles = withRoles({ r: { allowed_tools: [], inherits: ['base'] } });
    expect(found(roles, { file: 'x.yaml', text: 'tools: [' }).filter((issue) => issue.includes('role'))).toEqual([]);
  });

  test('a cycle is an error at the link that closes it', () => {
    const own = { r: { allowed_tools: [], inherits: ['r'] } };
    expect(found(withRoles(own))).toEqual(['error circular-roles Role "r" inherits "r": no role can inherit itself']);
    const roles = {
      a: { allowed_tools: [], inherits: ['b', 'd'] },
      b: { allowed_tools: [], inherits: ['c'] },
      c: { allowed_tools: [], inherits: ['d', 'a'] },
      d: { allowed_tools: [] },
    };
    expect(checkConfig([servers, withRoles(roles)]).issues).toMatchObject([
      {
        code: 'circular-roles',
        roles: ['a', 'b', 'c', 'a'],
        path: ['tools', 't', 'role_restrictions', 'c', 'inherits', 1],
      },
    ]);
  });

  test('prevents a config exactly if there is a cycle', () => {
    const role = fc.nat({ max: 4 });
    fc.assert(
      fc.property(fc.array(fc.tuple(role, role), { maxLength: 8 }), (links) => {
        const parents = (heir: number) => links.filter(([from]) => from === heir).map(([, to]) => to);
        const roles = Object.fromEntries(
          [0, 1, 2, 3, 4].map((heir) => [
            `r${heir}`,
            { allowed_tools: [], inherits: parents(heir).map((to) => `r${to}`) },
          ]),
        );
        const reaches = (from: number, to: number, left = 5): boolean =>
          left > 0 && parents(from).some((next) => next === to || reaches(next, to, left - 1));
        const hasRound = [0, 1, 2, 3, 4].some((each) => reaches(each, each));
        const { config, issues } = checkConfig([servers, withRoles(roles)]);
        expect(config === undefined).toBe(hasRound);
        expect(issues.every(({ code }) => code === 'circular-roles')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['in a round', (n: number) => [`r${(n + 1) % 10_000}`], ['circular-roles']],
    ['that inherit none that is there', (n: number) => [`missing${n}`], ['unknown-role', 'too-many-issues']],
  ])('ten thousand roles %s are checked quickly', (_what, inherits, codes) => {
    const roles = Array.from({ length: 10_000 }, (_, n) => [`r${n}`, { allowed_tools: [], inherits: inherits(n) }]);
    const tools = Array.from({ length: 10 }, (_, n) => [
      `t${n}`,
      { role_restrictions: Object.fromEntries(roles.slice(n * 1_000, (n + 1) * 1_000)) },
    ]);
    const text = JSON.stringify({ tools: Object.fromEntries(tools) });
    const { issues } = checkConfig([servers, { file: 'tools.json', text }]);
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(codes));
  });
});

describe('default', () => {
  test('may be repeated for one role', () => {
    const one = withRoles(
      { r: { allowed_tools: [], default: true }, s: { allowed_tools: [], default: false } },
      'a.json',
    );
    const other = {
      file: 'b.json',
      text: '{"tools":{"u":{"role_restrictions":{"r":{"allowed_tools":[],"default":true}}}}}',
    };
    expect(found(one, other)).toEqual([]);
  });

  test('of two roles is an error, in any files', () => {
    const one = withRoles({ r: { allowed_tools: [], default: true } }, 'a.json');
    const other = {
      file: 'b.json',
      text: '{"tools":{"u":{"role_restrictions":{"s":{"allowed_tools":[],"default":true}}}}}',
    };
    expect(checkConfig([servers, one, other]).issues).toMatchObject([
      {
        code: 'second-default',
        severity: 'error',
        role: 's',
        first: { role: 'r', file: 'a.json', line: 1 },
        file: 'b.json',
      },
    ]);
  });
});

describe('rules about servers', () => {
  const rule = (more: object) => found(withRoles({ r: { allowed_tools: ['git'], ...more } }));

  test('warns about servers that are not configured', () => {
    expect(rule({ denied_tools: ['gti.push', 'git.push', '*.write', 'bash'] })).toEqual([
      'warning unknown-server Role "r" is denied a tool of server "gti", which is not configured',
    ]);
    expect(rule({ ask_before: ['gti.push', 'git.push', '*.write', 'destructive'] })).toEqual([
      'warning unknown-server Role "r" is asked before a tool of server "gti", which is not configured',
    ]);
    expect(rule({ allowed_resources: ['file', 'files', 'files.file:///a/*', 'web.http://a.b/c'] })).toEqual([
      'warning unknown-server Role "r" is allowed a resource of server "file", which is not configured',
      'warning unknown-server Role "r" is allowed a resource of server "web", which is not configured',
    ]);
    expect(rule({ allowed_prompts: ['prompt', 'git', 'git.a*'] })).toEqual([
      'warning unknown-server Role "r" is allowed a prompt of server "prompt", which is not configured',
    ]);
  });

  test('warns about a star that allows nothing, but not in denials', () => {
    expect(rule({ denied_tools: ['*.write', 'f*', '*.delete_*'] })).toEqual([]);
    expect(rule({ allowed_resources: ['*', 'f*.x'], allowed_prompts: ['*.p'] })).toEqual([
      'warning misplaced-star "*" allows nothing: "*" matches text in the URI of a resource, never a server',
      'warning misplaced-star "f*.x" allows nothing: "*" matches text in the URI of a resource, never a server',
      'warning misplaced-star "*.p" allows nothing: "*" matches text in the name of a prompt, never a server',
    ]);
  });

  test.each([
    [['git.push'], ['git.push'], ['git.push by git.push']],
    [['git.push', 'git.log'], ['git.pu*'], ['git.push by git.pu*']],
    [['git.push'], ['git'], ['git.push by git']],
    [['git.push'], ['g*'], ['git.push by g*']],
    [
      ['git', 'files.read'],
      ['*.read', 'git.*'],
      ['git by git.*', 'files.read by *.read'],
    ],
    [['git'], ['git.push'], []],
    [['git.*'], ['git.push*'], []],
  ])('warns about %j, allowed next to denied %j: %j', (allowed_tools, denied_tools, dead) => {
    const { issues } = checkConfig([servers, withRoles({ r: { allowed_tools, denied_tools } })]);
    expect(
      issues.map((issue) => (issue.code === 'dead-rule' ? `${issue.rule} by ${issue.by.rule}` : issue.code)),
    ).toEqual(dead);
  });
});
