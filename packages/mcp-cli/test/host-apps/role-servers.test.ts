import { publicName } from '@x/internal/names';
import { parseConfig, type RoleRule, type ServerConfig } from '@x/mcp-config-schema';
import { planSync } from '@x/mcp-host-sync';
import { compileRole } from '@x/mcp-registry/roles';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serversOfRole } from '../../src/host-apps/role-servers.js';

const role = 'review';

interface Rule {
  readonly servers: readonly string[];
  readonly allowed: readonly string[];
  readonly denied?: readonly string[] | undefined;
}

describe('a denial in any reading', () => {
  test.each<[Rule, object]>([
    [{ servers: ['prod-db'], allowed: ['prod-db.query'], denied: ['prod-*'] }, {}],
    [{ servers: ['prod-db'], allowed: ['prod-db.query'], denied: ['pr*query'] }, {}],
    [
      { servers: ['my', 'my.db'], allowed: ['my/db.query', 'my.db'], denied: ['my.db.query'] },
      { 'my.db': ['!my.db.query', '!query', 'list'] },
    ],
    [{ servers: ['web', 'git'], allowed: ['web'], denied: ['git.log'] }, { web: ['!git.log'] }],
    [{ servers: ['web', 'git'], allowed: ['web.git.log', 'web.read'], denied: ['git.log'] }, { web: ['read'] }],
    [{ servers: ['db'], allowed: ['db'], denied: ['query'] }, { db: ['!query'] }],
    [{ servers: ['db'], allowed: ['db'], denied: ['mcp__db__query'] }, { db: ['!query', '!mcp__db__query'] }],
    [{ servers: ['db'], allowed: ['db', 'web'], denied: ['db'] }, {}],
  ])('%j', ({ servers, allowed, denied }, expected) => {
    const written = offered('gemini-cli-user', serversOf({ servers, allowed, denied }).servers);
    expect(Object.keys(written)).toEqual(Object.keys(expected));
    for (const [server, tools] of Object.entries<readonly string[]>({ ...expected })) {
      for (const tool of tools) expect(written[server]?.(tool.replace('!', '')), tool).toBe(!tool.startsWith('!'));
    }
  });

  test.each<[Rule, string]>([
    [{ servers: ['db'], allowed: ['db'], denied: ['drop_*'] }, 'drop_*'],
    [{ servers: ['db'], allowed: ['db.get_*', 'db.list'], denied: ['*.get_key'] }, '*.get_key'],
    [{ servers: ['my.db'], allowed: ['my.db'], denied: [publicName('my.db', 'query')] }, publicName('my.db', 'query')],
  ])('that may deny unknown tools leaves the server out: %j', (rule, denial) => {
    const { servers, warnings } = serversOf(rule);
    expect(servers).toEqual([]);
    expect(warnings).toEqual([
      `${rule.servers[0]} is left out: ${denial} may deny some of its tools, which are not known here. List the allowed tools by name, or leave out --no-gateway.`,
    ]);
  });

  test('of a tool that no pattern allows changes nothing', () => {
    const { servers } = serversOf({ servers: ['db'], allowed: ['db.get_*'], denied: ['db.drop', 'write'] });
    expect(servers).toMatchObject([{ allowedTools: ['get_*'], deniedTools: [] }]);
  });

  test('is found in little time for a long entry of many stars', () => {
    const started = performance.now();
    const stars = `db.${'*a'.repeat(2_000)}`;
    const server = { ...serverNamed('db'), allowedTools: [`${'a'.repeat(5_000)}b`, stars.slice(3)] };
    serversOfRole({ servers: [server], roles: [{ ...ruleOf(['db', stars]), deniedTools: [stars] }] }, role);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe.each(['gemini-cli-user', 'amp-user'])('%s', (host) => {
  const word = fc.constantFrom('my', 'db', 'git', 'query', 'prod', 'log');
  const joined = (parts: fc.Arbitrary<string>, separator: fc.Arbitrary<string>, maxLength: number) =>
    fc
      .array(fc.tuple(parts, separator), { minLength: 1, maxLength })
      .map((pairs) => pairs.map(([text, end], at) => (at === pairs.length - 1 ? text : text + end)).join(''));
  const name = joined(word, fc.constantFrom('.', '-', '/', '_'), 2);
  const tool = joined(word, fc.constantFrom('.', '-', '/', '__'), 3);
  const pattern = joined(fc.oneof(word, fc.constant('*')), fc.constantFrom('.', '-', '/', '__', ''), 3);
  const cases = fc.uniqueArray(name, { minLength: 1, maxLength: 3 }).chain((servers) => {
    const server = fc.constantFrom(...servers);
    const part = fc.oneof(tool, pattern);
    const qualified = fc
      .tuple(server, fc.constantFrom('.', '/', '__'), part)
      .map(([of, separator, text]) => (separator === '__' ? `mcp__${of}__${text}` : of + separator + text));
    const digest = fc.tuple(server, tool).map(([of, text]) => publicName(of, text));
    const lists = fc.record(
      { allowedTools: fc.array(part, { maxLength: 3 }), deniedTools: fc.array(part, { maxLength: 2 }) },
      { requiredKeys: [] },
    );
    return fc.record({
      servers: fc.tuple(...servers.map((of) => fc.oneof(fc.constant({}), lists).map((own) => ({ of, own })))),
      allowed: fc.array(fc.oneof(server, qualified, digest, part), { minLength: 1, maxLength: 4 }),
      denied: fc.array(fc.oneof(qualified, digest, part, server), { maxLength: 2 }),
      tools: fc.array(tool, { maxLength: 4 }),
    });
  });

  test('offers only what the role may use, and all of it where only names are listed', () => {
    let offers = 0;
    fc.assert(
      fc.property(cases, ({ servers: given, allowed, denied, tools }) => {
        const servers = given.map(({ of, own }) => ({ ...serverNamed(of), ...own }));
        const rule = { ...ruleOf(allowed), deniedTools: denied };
        const policy = compileRole(
          [rule],
          role,
          servers.map(({ name: of }) => of),
        );
        const { servers: ofRole, warnings } = serversOfRole({ servers, roles: [rule] }, role);
        const written = offered(host, ofRole);
        const isExact = ![...allowed, ...denied].some((entry) => entry.includes('*')) && warnings.length === 0;
        for (const { name: of, allowedTools, deniedTools = [] } of servers) {
          for (const each of [...tools, ...[...allowed, ...denied].flatMap(namesIn)]) {
            const mayUse = policy({ server: of, tool: each }).isAllowed;
            const isOffered = written[of]?.(each) ?? false;
            const seen = JSON.stringify({ of, each, ofRole });
            if (isOffered) {
              offers += 1;
              expect(mayUse, seen).toBe(true);
              expect(allowedTools === undefined || allowedTools.some((own) => fits(own, each)), seen).toBe(true);
              expect(
                deniedTools.some((own) => fits(own, each)),
                seen,
              ).toBe(false);
            }
            const isListed = allowed.some((entry) => entry === `${of}.${each}` || entry === `${of}/${each}`);
            if (isExact && isListed && mayUse && allowedTools === undefined && deniedTools.length === 0)
              if (!allowed.includes(of) || host === 'gemini-cli-user') expect(isOffered, seen).toBe(true);
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(offers).toBeGreaterThan(200);
  });
});

const [template] = parseConfig({ text: 'mcp_servers: { any: { command: x } }' }).servers;

function serverNamed(name: string): ServerConfig {
  if (template === undefined) throw new Error('there is no server');
  return { ...template, name };
}

function ruleOf(allowedTools: readonly string[]): RoleRule {
  return { role, allowedTools, tool: 'helper', source: { line: 1, column: 1 } };
}

function serversOf({ servers, allowed, denied = [] }: Rule): ReturnType<typeof serversOfRole> {
  const rule = { ...ruleOf(allowed), deniedTools: denied };
  return serversOfRole({ servers: servers.map(serverNamed), roles: [rule] }, role);
}

/** For each server in the host's file, whether the host offers a tool. */
function offered(
  host: string,
  ours: ReturnType<typeof serversOfRole>['servers'],
): Readonly<Record<string, (tool: string) => boolean>> {
  const place = { file: '/home/ann/file', inside: '/home/ann', platform: 'linux', project: '/srv/app' } as const;
  const { files } = planSync({ ours, theirs: [{ host, ...place }], toolLists: 'write' });
  const document = JSON.parse(files[0]?.content.open().text ?? '{}');
  const entries = document.mcpServers ?? document['amp.mcpServers'] ?? {};
  return Object.fromEntries(
    Object.entries<Record<string, readonly string[] | undefined>>(entries).map(([server, entry]) => {
      const { includeTools, excludeTools = [] } = entry;
      const isIncluded = (tool: string) => includeTools === undefined || includeTools.some((each) => fits(each, tool));
      return [server, (tool: string) => isIncluded(tool) && !excludeTools.includes(tool)];
    }),
  );
}

/** Names of tools that an entry may mean: the entry, and each text behind a separator. */
function namesIn(entry: string): readonly string[] {
  const name = entry.replaceAll('*', 'x');
  return [name, ...Array.from(name.matchAll(/[./]|__/g), ({ index, 0: end }) => name.slice(index + end.length))].filter(
    (text) => text !== '',
  );
}

function fits(pattern: string, tool: string): boolean {
  const pieces = pattern.split(/\*+/).map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`, 's').test(tool);
}
