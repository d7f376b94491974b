import { publicName } from '@x/internal/names';
import type { RoleSubject } from '@x/internal/views';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRole } from '../../src/roles/compile-role.js';
import type { RoleRule } from '../../src/roles/role-rule.js';
import { matchesStars, matchesTool } from '../../src/roles/tool-pattern.js';
import { NO_SERVERS, noServer } from '../helpers/known-servers.js';

const log = { server: 'git', tool: 'log' };
const push = { server: 'git', tool: 'push' };
const search = { server: undefined, tool: 'search_mcp_tools' };
const isAllowed = (rules: readonly RoleRule[], subject: RoleSubject, role = 'dev') =>
  compileRole(rules, role, NO_SERVERS)(subject).isAllowed;

describe('without a registry', () => {
  const rules = [{ role: 'dev', allowedTools: ['git.log', 'my.db.query', 'grep'] }];

  test('decides about pairs of server and tool', () => {
    const policy = compileRole(rules, 'dev');
    expect(policy(log).isAllowed).toBe(true);
    expect(policy(push)).toMatchObject({ isAllowed: false, reason: 'not-listed' });
    expect(policy({ server: undefined, tool: 'grep' }).isAllowed).toBe(true);
  });

  test('an entry that fits several servers applies to each, or with their names to the longest', () => {
    const readings = [
      { server: 'my.db', tool: 'query' },
      { server: 'my', tool: 'db.query' },
    ];
    const allowed = (names?: readonly string[]) =>
      readings.map((subject) => compileRole(rules, 'dev', names)(subject).isAllowed);
    expect(allowed()).toEqual([true, true]);
    expect(allowed(['my', 'my.db'])).toEqual([true, false]);
  });
});

describe('allowing', () => {
  test('an unknown role may use nothing at all', () => {
    const policy = compileRole([{ role: 'dev', allowedTools: ['git'] }], 'ops', NO_SERVERS);
    const refusal = { isAllowed: false, reason: 'unknown-role' };
    expect([policy(log), policy(search)]).toEqual([refusal, refusal]);
  });

  test('an empty list allows nothing, and says which rule it is', () => {
    const rule = { role: 'dev', allowedTools: [] };
    const refusal = { isAllowed: false, reason: 'not-listed', rule };
    expect(compileRole([rule], 'dev', NO_SERVERS)(log)).toEqual(refusal);
    expect(compileRole([rule], 'dev', NO_SERVERS)(search)).toEqual(refusal);
  });

  test('several rules for one role restrict it together', () => {
    const wide = { role: 'dev', allowedTools: ['git', 'files'] };
    const narrow = { role: 'dev', allowedTools: ['git.log', 'web'] };
    const policy = compileRole([wide, { role: 'other', allowedTools: [] }, narrow], 'dev', NO_SERVERS);
    expect(policy(log)).toEqual({ isAllowed: true, rule: wide, pattern: 'git' });
    expect(policy(push)).toEqual({ isAllowed: false, reason: 'not-listed', rule: narrow });
    expect(policy({ server: 'web', tool: 'get' })).toEqual({ isAllowed: false, reason: 'not-listed', rule: wide });
  });

  test('every role that may use a tool may search, unless one of its rules is empty', () => {
    const rules = [{ role: 'dev', allowedTools: ['git.log'] }];
    expect(isAllowed(rules, search)).toBe(true);
    expect(isAllowed([...rules, { role: 'dev', allowedTools: [] }], search)).toBe(false);
  });

  test('a tool of a server that is named like the tool search is no tool search', () => {
    expect(isAllowed([{ role: 'dev', allowedTools: ['git.log'] }], { ...search, server: 'evil' })).toBe(false);
  });
});

describe('denying', () => {
  test('overrides an allowance, and names its pattern', () => {
    const rule = { role: 'dev', allowedTools: ['git'], deniedTools: ['git.pu*'] };
    const policy = compileRole([rule], 'dev', NO_SERVERS);
    expect(policy(log).isAllowed).toBe(true);
    expect(policy(push)).toEqual({ isAllowed: false, reason: 'denied', rule, pattern: 'git.pu*' });
  });

  test.each([
    ['git', false],
    ['git.*', false],
    ['*.log', false],
    ['g*', false],
    ['*', false],
    ['g*.l*', false],
    ['git/log', false],
    ['git/*', false],
    ['*/log', false],
    ['mcp__git__log', false],
    ['mcp__git__*', false],
    ['mcp__*__log', false],
    ['log', false],
    ['lo*', false],
    ['*.push', true],
    ['git/push', true],
    ['mcp__git__push', true],
    ['mcp__*__push', true],
    ['mcp__log', true],
    ['Log', true],
    ['gi', true],
    ['lo', true],
    ['', true],
  ])('%j leaves git.log allowed: %s', (pattern, expected) => {
    expect(isAllowed([{ role: 'dev', allowedTools: ['git'], deniedTools: [pattern] }], log)).toBe(expected);
  });

  test('with a star reads the own name after the prefix, also where the public name is another', () => {
    const rule = { role: 'dev', allowedTools: ['__proto__'], deniedTools: ['mcp__*__*x'] };
    expect(isAllowed([rule], { server: '__proto__', tool: 'x' })).toBe(false);
    expect(isAllowed([rule], { server: '__proto__', tool: 'y' })).toBe(true);
  });

  test('takes native tools and the search by their names', () => {
    const rule = { role: 'dev', allowedTools: ['admin_add', 'git'], deniedTools: ['admin_*', 'search_mcp_tools'] };
    expect(isAllowed([rule], { server: undefined, tool: 'admin_add' })).toBe(false);
    expect(isAllowed([rule], search)).toBe(false);
    expect(isAllowed([rule], log)).toBe(true);
  });
});

describe('requiring annotations', () => {
  const rule = { role: 'dev', allowedTools: ['git'], requiredAnnotations: { readOnlyHint: true } };

  test('allows listed tools that declare them, and no others', () => {
    const annotations = { readOnlyHint: true };
    expect(isAllowed([rule], { ...log, annotations })).toBe(true);
    expect(isAllowed([rule], { server: 'web', tool: 'get', annotations })).toBe(false);
  });

  test('removes tools that declare nothing, the opposite, or both', () => {
    const refusal = { isAllowed: false, reason: 'annotations', rule, pattern: 'readOnlyHint: true' };
    for (const annotations of [
      undefined,
      {},
      { readOnlyHint: false },
      { readOnlyHint: true, destructiveHint: true },
      { readOnlyHint: 'true' as never },
    ]) {
      expect(compileRole([rule], 'dev', NO_SERVERS)({ ...push, annotations })).toEqual(refusal);
    }
  });

  test('does not affect the search, which reaches only allowed tools', () => {
    expect(isAllowed([rule], search)).toBe(true);
  });

  test.each([
    [{ destructiveHint: false }, { readOnlyHint: true }, true],
    [{ destructiveHint: false }, {}, false],
    [{ destructiveHint: false }, { destructiveHint: false }, true],
    [{ openWorldHint: false }, {}, false],
    [{ openWorldHint: false }, { openWorldHint: false }, true],
    [{ idempotentHint: true }, { readOnlyHint: true }, true],
    [{ idempotentHint: true }, {}, false],
    [{ readOnlyHint: true, openWorldHint: false }, { readOnlyHint: true }, false],
    [{ readOnlyHint: undefined }, {}, true],
  ])('%j of a tool that says %j: %s', (requiredAnnotations, annotations, expected) => {
    const rules = [{ role: 'dev', allowedTools: ['git'], requiredAnnotations }];
    expect(isAllowed(rules, { ...log, annotations })).toBe(expected);
  });
});

describe('inheriting', () => {
  const base = { role: 'base', allowedTools: ['git.log', 'files'] };

  test('adds what the parent may use, and names its rule', () => {
    const rules = [base, { role: 'dev', allowedTools: ['git.push'], inherits: ['base'] }];
    const policy = compileRole(rules, 'dev', NO_SERVERS);
    expect(policy(push)).toMatchObject({ isAllowed: true, pattern: 'git.push' });
    expect(policy(log)).toEqual({ isAllowed: true, rule: base, pattern: 'git.log' });
    expect(policy({ server: 'web', tool: 'get' }).isAllowed).toBe(false);
    expect(isAllowed(rules, push, 'base')).toBe(false);
  });

  test('allows to search even with no tool of its own', () => {
    expect(isAllowed([base, { role: 'dev', allowedTools: [], inherits: ['base'] }], search)).toBe(true);
  });

  test('what is denied anywhere above stays denied', () => {
    const rules = [
      { ...base, deniedTools: ['files.write'] },
      { role: 'middle', allowedTools: [], inherits: ['base'] },
      { role: 'dev', allowedTools: ['files'], inherits: ['middle'] },
    ];
    expect(isAllowed(rules, { server: 'files', tool: 'read' })).toBe(true);
    expect(compileRole(rules, 'dev', NO_SERVERS)({ server: 'files', tool: 'write' })).toMatchObject({
      reason: 'denied',
      rule: rules[0],
    });
  });

  test('required annotations of a parent are about what comes from it, those of the heir about everything', () => {
    const strict = { ...base, requiredAnnotations: { readOnlyHint: true } };
    const own = { role: 'dev', allowedTools: ['git.push'], inherits: ['base'] };
    expect(isAllowed([strict, own], push)).toBe(true);
    expect(isAllowed([strict, own], log)).toBe(false);
    expect(isAllowed([base, { ...own, requiredAnnotations: { readOnlyHint: true } }], log)).toBe(false);
  });

  test('a parent with several rules gives what all of them allow', () => {
    const rules = [
      base,
      { role: 'base', allowedTools: ['files'] },
      { role: 'dev', allowedTools: [], inherits: ['base'] },
    ];
    expect(isAllowed(rules, log)).toBe(false);
    expect(isAllowed(rules, { server: 'files', tool: 'read' })).toBe(true);
  });

  test('each of the heir’s rules counts by itself', () => {
    const rules = [
      base,
      { role: 'dev', allowedTools: [], inherits: ['base'] },
      { role: 'dev', allowedTools: ['files'] },
    ];
    expect(isAllowed(rules, log)).toBe(false);
    expect(isAllowed(rules, { server: 'files', tool: 'read' })).toBe(true);
  });

  test.each([
    [
      'roles: "dev" inherits "bse", which no rule names; roles are "base", "dev"',
      [base, { role: 'dev', allowedTools: [], inherits: ['bse'] }],
    ],
    [
      'roles: "dev" inherits "dev"; a role cannot inherit itself',
      [{ role: 'dev', allowedTools: [], inherits: ['dev'] }],
    ],
    [
      'roles: "b" inherits "c" inherits "b"; a role',
      [
        { role: 'dev', allowedTools: [], inherits: ['b'] },
        { role: 'b', allowedTools: [], inherits: ['c'] },
        { role: 'c', allowedTools: [], inherits: ['b'] },
      ],
    ],
  ])('%s', (message, rules) => {
    expect(() => compileRole(rules, 'dev', NO_SERVERS)).toThrow(TypeError);
    expect(() => compileRole(rules, 'dev', NO_SERVERS)).toThrow(message);
  });

  test('a long chain and many diamonds cost no more than they have rules', () => {
    const chain = Array.from({ length: 20_000 }, (_, n) => ({
      role: `r${n}`,
      allowedTools: n === 0 ? ['git'] : [],
      inherits: n === 0 ? [] : [`r${n - 1}`],
    }));
    expect(isAllowed(chain, log, 'r19999')).toBe(true);
    const diamonds = Array.from({ length: 200 }, (_, n) => [
      { role: `a${n}`, allowedTools: ['git'], inherits: n === 0 ? [] : [`a${n - 1}`, `b${n - 1}`] },
      { role: `b${n}`, allowedTools: ['web'], inherits: n === 0 ? [] : [`a${n - 1}`, `b${n - 1}`] },
    ]).flat();
    expect(isAllowed(diamonds, log, 'b199')).toBe(true);
    expect(isAllowed(diamonds, { server: 'x', tool: 'y' }, 'b199')).toBe(false);
  });
});

describe('resources and prompts', () => {
  const file = { kind: 'resource', server: 'files', uri: 'file:///srv/docs/a.txt' } as const;
  const prompt = { kind: 'prompt', server: 'files', prompt: 'review_code' } as const;
  const allowed = (rule: Omit<RoleRule, 'role'>, subject: RoleSubject, ...more: RoleRule[]) =>
    isAllowed([{ role: 'dev', ...rule }, ...more], subject);

  test('are allowed with the whole server, and not with some of its tools', () => {
    for (const subject of [file, prompt]) {
      for (const whole of ['files', 'files.*', 'files.**'])
        expect(allowed({ allowedTools: [whole] }, subject)).toBe(true);
      for (const part of ['files.read_*', 'files.*e', 'file', 'other', 'files.']) {
        expect(allowed({ allowedTools: [part] }, subject)).toBe(false);
      }
    }
  });

  test('are not allowed with a restricted server', () => {
    for (const subject of [file, prompt]) {
      const whole = { allowedTools: ['files'] };
      expect(allowed({ ...whole, deniedTools: ['files.write'] }, subject)).toBe(false);
      expect(allowed({ ...whole, deniedTools: ['*.write'] }, subject)).toBe(false);
      expect(allowed({ ...whole, deniedTools: ['files/write'] }, subject)).toBe(false);
      expect(allowed({ ...whole, deniedTools: ['other.write', 'gi*.*', 'gi*/*', 'search_mcp_tools'] }, subject)).toBe(
        true,
      );
      expect(allowed({ ...whole, requiredAnnotations: { readOnlyHint: true } }, subject)).toBe(false);
      expect(allowed(whole, subject, { role: 'dev', allowedTools: ['files.read'] })).toBe(false);
    }
  });

  test.each(['write', 'wri*', 'gi*', 'mcp__files__write', 'mcp__*__write', 'git'])(
    'are not allowed with a server of which %s may deny something, until its tools are known',
    (denied) => {
      const rule = { role: 'dev', allowedTools: ['files'], deniedTools: [denied] };
      const knowing = (...tools: string[]) => {
        const list = tools.map((tool) => ({ name: tool }));
        return compileRole([rule], 'dev', { ...NO_SERVERS, has: (server) => server === 'git', toolsOf: () => list });
      };
      for (const subject of [file, prompt]) {
        expect(isAllowed([rule], subject)).toBe(false);
        expect(knowing()(subject).isAllowed).toBe(denied === 'git'); // the name of another server
        expect(knowing('read')(subject).isAllowed).toBe(true);
        expect(knowing('read', 'write', 'git')(subject).isAllowed).toBe(false);
      }
    },
  );

  test('are allowed by patterns of their own', () => {
    const tools = { allowedTools: ['files.read_*'], deniedTools: ['files.write'] };
    expect(allowed({ ...tools, allowedResources: ['files.file:///srv/docs/*'] }, file)).toBe(true);
    expect(allowed({ ...tools, allowedResources: ['files'] }, file)).toBe(true);
    expect(allowed({ ...tools, allowedResources: ['files.file:///srv/other/*'] }, file)).toBe(false);
    expect(allowed({ ...tools, allowedPrompts: ['files.review_*'] }, prompt)).toBe(true);
    expect(allowed({ ...tools, allowedResources: ['files'] }, prompt)).toBe(false);
    expect(allowed({ ...tools, allowedPrompts: ['files'] }, file)).toBe(false);
  });

  test.each(['files', 'files.*', '*', 'f*', '*.*'])('are denied by %s, even if another rule allows them', (denied) => {
    const rule = {
      allowedTools: ['files'],
      deniedTools: [denied],
      allowedResources: ['files'],
      allowedPrompts: ['files'],
    };
    expect(allowed(rule, file)).toBe(false);
    expect(allowed(rule, prompt)).toBe(false);
  });

  test('are inherited, as whole as the server still is', () => {
    const heir = { role: 'dev', allowedTools: [], inherits: ['base'] };
    const whole = { role: 'base', allowedTools: ['files'] };
    const explicit = { role: 'base', allowedTools: [], allowedResources: ['files'] };
    expect(isAllowed([whole, heir], file)).toBe(true);
    expect(isAllowed([whole, { ...heir, deniedTools: ['files.write'] }], file)).toBe(false);
    expect(isAllowed([whole, { ...heir, requiredAnnotations: { readOnlyHint: true } }], file)).toBe(false);
    expect(isAllowed([explicit, { ...heir, deniedTools: ['files.write'] }], file)).toBe(true);
    expect(
      isAllowed(
        [
          { ...whole, deniedTools: ['files.write'] },
          { ...heir, allowedTools: ['files'] },
        ],
        file,
      ),
    ).toBe(false);
  });
});

/** What the rules mean, written down once more and as plainly as it goes. */
function mayUse(
  rules: readonly RoleRule[],
  role: string,
  subject: { server: string | undefined; tool: string; annotations: { readOnlyHint: boolean } },
): boolean {
  const own = rules.filter((rule) => rule.role === role);
  const { server, tool } = subject;
  const written =
    server === undefined ? [tool] : [`${server}.${tool}`, `${server}/${tool}`, tool, server, publicName(server, tool)];
  const denied = (pattern: string): boolean => {
    // A pattern with a star also compares the tool's own name after the prefix, as in a list of what is allowed.
    const texts = server !== undefined && pattern.includes('*') ? [...written, `mcp__${server}__${tool}`] : written;
    return texts.some((text) => matchesStars(pattern, text));
  };
  const denies = (name: string): boolean =>
    rules.some((rule) => rule.role === name && (rule.deniedTools?.some(denied) || rule.inherits?.some(denies)));
  return (
    own.length > 0 &&
    !denies(role) &&
    own.every(
      (rule) =>
        (rule.allowedTools.some((pattern) => matchesTool(pattern, subject, noServer)) ||
          rule.inherits?.some((parent) => mayUse(rules, parent, subject))) &&
        (rule.requiredAnnotations === undefined || subject.annotations.readOnlyHint),
    )
  );
}

const name = fc.constantFrom('a', 'a.b', 'b', 'ab', '__proto__');
const toolName = fc.constantFrom('x', 'b.x', 'read_x', 'read_y', 'constructor');
const separator = fc.constantFrom('.', '/', '__');
const pattern = fc.oneof(
  name,
  toolName,
  fc
    .tuple(fc.oneof(name, fc.constant('*')), fc.oneof(toolName, fc.constantFrom('*', 'read_*', '*x')), separator)
    .map(([server, own, between]) => (between === '__' ? `mcp__${server}__${own}` : server + between + own)),
);
const patterns = fc.array(pattern, { maxLength: 4 });
/** Roles inherit only those with a lower number, so that there is no round. */
const anyRules = fc
  .array(
    fc.record({
      role: fc.nat({ max: 3 }),
      allowedTools: patterns,
      deniedTools: fc.option(fc.array(pattern, { maxLength: 1 }), { nil: undefined }),
      inherits: fc.array(fc.nat({ max: 2 }), { maxLength: 2 }),
      requiredAnnotations: fc.option(fc.constant({ readOnlyHint: true }), { nil: undefined }),
    }),
    { maxLength: 6 },
  )
  .map((rules): RoleRule[] =>
    rules.map((rule) => ({
      ...rule,
      role: `r${rule.role}`,
      inherits: rule.inherits
        .filter((parent) => parent < rule.role && rules.some(({ role }) => role === parent))
        .map((parent) => `r${parent}`),
    })),
  );
const anyTool = fc.record({
  server: fc.option(name, { nil: undefined }),
  tool: toolName,
  annotations: fc.record({ readOnlyHint: fc.boolean() }),
});

describe('under any rules', () => {
  test('a role may use exactly what they allow', () => {
    fc.assert(
      fc.property(anyRules, anyTool, fc.constantFrom('r0', 'r1', 'r2', 'r3', 'r4'), (rules, subject, role) => {
        expect(isAllowed(rules, subject, role)).toBe(mayUse(rules, role, subject));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a further rule for a role only removes rights, for the role and its heirs', () => {
    const anySubject = fc.oneof(
      anyTool,
      fc.record({ kind: fc.constant('resource' as const), server: name, uri: fc.constantFrom('x:/a', 'x:/b') }),
      fc.record({ kind: fc.constant('prompt' as const), server: name, prompt: toolName }),
    );
    fc.assert(
      fc.property(anyRules, anyRules, anySubject, (rules, added, subject) => {
        const known = new Set(rules.map(({ role }) => role));
        const more = added
          .filter(({ role }) => known.has(role))
          .map((rule) => ({ ...rule, inherits: rule.inherits?.filter((parent) => known.has(parent)) }));
        for (const role of known) {
          if (isAllowed([...rules, ...more], subject, role)) expect(isAllowed(rules, subject, role)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('the order of the rules has no effect', () => {
    fc.assert(
      fc.property(anyRules, anyTool, (rules, subject) => {
        for (const role of ['r0', 'r1', 'r2', 'r3']) {
          expect(isAllowed(rules.toReversed(), subject, role)).toBe(isAllowed(rules, subject, role));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('anything of a server', () => {
  const git: RoleSubject = { kind: 'any', server: 'git' };
  const servers = { has: () => true, knows: () => false, toolsOf: () => [{ name: 'log all' }] };

  test.each([
    [{ allowedTools: ['git'] }, true],
    [{ allowedTools: ['git.log'] }, true],
    [{ allowedTools: ['git/l*'] }, true],
    [{ allowedTools: ['mcp__git__log'] }, true],
    [{ allowedTools: [publicName('git', 'log all')] }, true],
    [{ allowedTools: ['git'], requiredAnnotations: { readOnlyHint: true } }, true],
    [{ allowedTools: [], allowedResources: ['git.repo://*'] }, true],
    [{ allowedTools: [], allowedPrompts: ['git.review'] }, true],
    [{ allowedTools: ['github', 'gi*', 'files.git', 'mcp__github__log'] }, false],
    [{ allowedTools: [], allowedResources: ['files'] }, false],
    [{ allowedTools: ['git'], deniedTools: ['git.push'] }, true],
    [{ allowedTools: ['git'], deniedTools: ['git'] }, false],
    [{ allowedTools: ['git'], deniedTools: ['git.*'] }, false],
  ])('%j: %s', (rule, expected) => {
    expect(compileRole([{ role: 'dev', ...rule }], 'dev', servers)(git).isAllowed).toBe(expected);
  });

  test.each(['my server', 'a-server-with-a-name-that-is-far-too-long-to-be-in-the-name-of-a-tool-as-it-is'])(
    'the public name of one of its tools is one of it: %s',
    (server) => {
      const known = { ...NO_SERVERS, has: () => true, toolsOf: () => [{ name: 'other' }, { name: 'log all' }] };
      const of = (tool: string) =>
        compileRole([{ role: 'dev', allowedTools: [publicName(server, tool)] }], 'dev', known)({ kind: 'any', server });
      expect(of('log all')).toMatchObject({ isAllowed: true, pattern: publicName(server, 'log all') });
      expect(of('gone').isAllowed).toBe(false);
    },
  );

  test('is what a parent may use, unless the server is denied', () => {
    const parent = { role: 'base', allowedTools: ['git.log'] };
    const heir = { role: 'dev', allowedTools: [], inherits: ['base'] };
    expect(isAllowed([parent, heir], git)).toBe(true);
    expect(isAllowed([parent, { ...heir, deniedTools: ['git.*'] }], git)).toBe(false);
  });
});

describe('the whole of a server', () => {
  const git: RoleSubject = { kind: 'server', server: 'git' };

  test.each([
    [{ allowedTools: ['git'] }, true],
    [{ allowedTools: ['git.*'] }, true],
    [{ allowedTools: ['git.log', 'git.l*'] }, false],
    [{ allowedTools: ['files'] }, false],
    [{ allowedTools: [], allowedResources: ['git.*'], allowedPrompts: ['git.*'] }, false],
    [{ allowedTools: ['git'], deniedTools: ['git.push'] }, false],
    [{ allowedTools: ['git'], deniedTools: ['*.push'], allowedResources: ['git.*'] }, false],
    [{ allowedTools: ['git'], deniedTools: ['git'] }, false],
    [{ allowedTools: ['git'], deniedTools: ['files.*'] }, true],
    [{ allowedTools: ['git'], requiredAnnotations: { readOnlyHint: true } }, false],
  ])('%j: %s', (rule, expected) => {
    expect(isAllowed([{ role: 'dev', ...rule }], git)).toBe(expected);
  });

  test('is what a parent may use, as far as nothing of it is taken away', () => {
    const parent = { role: 'base', allowedTools: ['git'] };
    const heir = { role: 'dev', allowedTools: [], inherits: ['base'] };
    expect(isAllowed([parent, heir], git)).toBe(true);
    expect(isAllowed([parent, { ...heir, deniedTools: ['git.push'] }], git)).toBe(false);
    expect(
      isAllowed(
        [
          { ...parent, deniedTools: ['git.push'] },
          { ...heir, allowedTools: ['git'] },
        ],
        git,
      ),
    ).toBe(false);
    expect(isAllowed([parent, heir, { role: 'dev', allowedTools: ['git.log'] }], git)).toBe(false);
  });
});

describe('what an heir takes over of a role with several rules', () => {
  const resource = { kind: 'resource', server: 'git', uri: 'repo://x' } as const;
  const heir = (rule: Partial<RoleRule> = {}) => ({ role: 'heir', allowedTools: ['git'], inherits: ['base'], ...rule });

  test('a denial of any of them stands', () => {
    const base = [
      { role: 'base', allowedTools: ['git'] },
      { role: 'base', allowedTools: ['git'], deniedTools: ['git.push'] },
    ];
    expect(compileRole([...base, heir()], 'heir', NO_SERVERS)(push)).toMatchObject({
      isAllowed: false,
      reason: 'denied',
      rule: base[1],
    });
    expect(isAllowed([...base, heir()], log, 'heir')).toBe(true);
    expect(compileRole([...base, heir()], 'heir', NO_SERVERS)(resource)).toMatchObject({
      isAllowed: false,
      reason: 'not-listed',
    });
    expect(isAllowed([...base, heir()], { kind: 'server', server: 'git' }, 'heir')).toBe(false);
  });

  test('a denial of any of its parents stands', () => {
    const parents = [
      { role: 'base', allowedTools: ['git'] },
      { role: 'other', allowedTools: ['git'], deniedTools: ['git.push'] },
    ];
    expect(isAllowed([...parents, heir({ inherits: ['base', 'other'] })], push, 'heir')).toBe(false);
  });

  test('a resource that is theirs only as part of a whole server is not its own', () => {
    const base = [
      { role: 'base', allowedTools: ['git'] },
      { role: 'base', allowedTools: ['git'], allowedResources: ['git.repo://x'] },
    ];
    expect(isAllowed([...base, heir({ allowedTools: [] })], resource, 'heir')).toBe(true);
    const strict = heir({ allowedTools: [], requiredAnnotations: { readOnlyHint: true } });
    expect(isAllowed([...base, strict], resource, 'heir')).toBe(false);
    expect(isAllowed([base[1] as RoleRule, strict], resource, 'heir')).toBe(true);
  });

  test('a parent that may not use a resource denies it to no other role', () => {
    const base = { role: 'base', allowedTools: ['files'] };
    expect(compileRole([base, heir()], 'heir', NO_SERVERS)(resource)).toMatchObject({
      isAllowed: true,
      pattern: 'git',
    });
  });

  test('its own rule is the one that allows, where both do', () => {
    const rules = [{ role: 'base', allowedTools: ['git'] }, heir()];
    expect(compileRole(rules, 'heir', NO_SERVERS)(log)).toEqual({ isAllowed: true, rule: rules[1], pattern: 'git' });
    const inheriting = [{ role: 'base', allowedTools: ['git'] }, heir({ allowedTools: [] })];
    expect(compileRole(inheriting, 'heir', NO_SERVERS)(log)).toEqual({
      isAllowed: true,
      rule: inheriting[0],
      pattern: 'git',
    });
  });
});

test('annotations that ask for nothing leave a server whole', () => {
  const rule = { role: 'dev', allowedTools: ['git'], requiredAnnotations: { readOnlyHint: undefined } };
  expect(isAllowed([rule], { kind: 'server', server: 'git' })).toBe(true);
});

test('a tool is a tool whether or not its kind is said', () => {
  const rule = { role: 'dev', allowedTools: ['git.log'] };
  expect(isAllowed([rule], { kind: 'tool', ...log })).toBe(true);
  expect(isAllowed([rule], { kind: 'tool', ...push })).toBe(false);
});

test('a refusal has a pattern only where there is one', () => {
  const rule = { role: 'dev', allowedTools: ['git.log'] };
  expect(compileRole([rule], 'dev', NO_SERVERS)(push)).toStrictEqual({ isAllowed: false, reason: 'not-listed', rule });
  expect(compileRole([rule], 'dev', NO_SERVERS)({ kind: 'prompt', server: 'git', prompt: 'x' })).toStrictEqual({
    isAllowed: false,
    reason: 'not-listed',
    rule,
  });
});

test.each([
  [{ idempotentHint: true }, true],
  [{}, false],
  [undefined, false],
  [{ readOnlyHint: true }, true],
  [{ readOnlyHint: true, idempotentHint: false }, false],
  [{ readOnlyHint: true, destructiveHint: true }, false],
])('a tool that says %j is idempotent: %s', (annotations, expected) => {
  const rule = { role: 'dev', allowedTools: ['git'], requiredAnnotations: { idempotentHint: true } };
  expect(isAllowed([rule], { ...log, annotations })).toBe(expected);
  const opposite = { ...rule, requiredAnnotations: { idempotentHint: false } };
  expect(isAllowed([opposite], { ...log, annotations })).toBe(!expected);
});

describe('a denial of a server whose tools are known', () => {
  const tools = [{ name: 'log' }, { name: 'push' }];
  const servers = { ...NO_SERVERS, has: (server: string) => server === 'git', toolsOf: () => tools };
  const whole = { kind: 'server', server: 'git' } as const;
  const leavesWhole = (pattern: string) =>
    compileRole([{ role: 'dev', allowedTools: ['git'], deniedTools: [pattern] }], 'dev', servers)(whole).isAllowed;

  test.each(['gix', 'files', 'other.push', 'pull', 'm*cp__git__'])('%s leaves it whole', (pattern) => {
    expect(leavesWhole(pattern)).toBe(true);
  });

  test.each([
    'git',
    'g*',
    'gi*zzz',
    'git.zzz',
    'git/*',
    'git.**',
    'mcp__git__*',
    'mcp__git__**',
    'push',
    'm*push',
    '*git__push',
  ])('%s does not leave it whole', (pattern) => {
    expect(leavesWhole(pattern)).toBe(false);
  });
});
