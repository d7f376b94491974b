import { publicName, readName } from '@x/internal/names';
import { createListSource, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRegistry, type RegistryOptions } from '../../src/registry.js';

async function createServers(
  options: RegistryOptions,
  servers: readonly (readonly [server: string, tools: readonly string[]])[],
) {
  const registry = createRegistry(options);
  const attachments = new Map<string, Disposable>();
  for (const [name, tools] of servers) {
    const attachment = registry.attach(
      createListSource(
        name,
        tools.map((each) => tool(each)),
      ),
    );
    await attachment.ready;
    attachments.set(name, attachment);
  }
  const view = registry.view({ role: 'r' });
  const shown = () =>
    view.list().flatMap(({ server, tool: own }) => (server === undefined ? [] : [`${server}|${own}`]));
  return { registry, attachments, view, shown };
}

const allowing = (...allowedTools: string[]): RegistryOptions => ({ roles: [{ role: 'r', allowedTools }] });

const cases = [
  ['mcp__github__enterprise__*', 'github__enterprise', ['search'], 'github', ['enterprise__exfiltrate', 'plain']],
  ['my.db', 'my.db', ['query'], 'my', ['db', 'other']],
  ['my.db.query', 'my.db', ['query'], 'my', ['db.query']],
  ['my.db.*', 'my.db', ['query'], 'my', ['db.steal_everything']],
  ['my.db/*', 'my.db', ['query'], 'my', ['db/steal']],
  ['@acme/db', '@acme/db', ['q'], '@acme', ['db']],
  ['@acme/db.*', '@acme/db', ['q'], '@acme', ['db.steal']],
  ['@acme/db/*', '@acme/db', ['q'], '@acme', ['db/steal']],
  ['files@b.x.read_*', 'files@b.x', ['read_a'], 'files@b', ['x.read_evil']],
  ['mcp__a___*', 'a_', ['t'], 'a', ['_t']],
] as const;

test.each(cases)('%s means only server %s, in any order of attachment', async (rule, meant, own, other, tools) => {
  const expected = own.map((each) => `${meant}|${each}`);
  for (const order of [false, true]) {
    const servers = [
      [meant, own],
      [other, tools],
    ] as const;
    const { shown, view } = await createServers(allowing(rule), order ? servers : servers.toReversed());
    expect(shown()).toEqual(expected);
    for (const each of tools)
      await expect(view.call(publicName(other, each))).rejects.toMatchObject({ code: 'unknown-tool' });
  }
});

test.each(cases)(
  '%s allows nothing of another server while server %s is only configured',
  async (rule, meant, _, other, tools) => {
    const { shown } = await createServers({ ...allowing(rule), knownServers: [meant, other] }, [[other, tools]]);
    expect(shown()).toEqual([]);
  },
);

test.each(cases)(
  '%s allows nothing of another server after server %s has gone',
  async (rule, meant, own, other, tools) => {
    const { shown, attachments } = await createServers(allowing(rule), [
      [other, tools],
      [meant, own],
    ]);
    attachments.get(meant)?.[Symbol.dispose]();
    expect(shown()).toEqual([]);
  },
);

describe('a server that comes later and has a longer name', () => {
  test('changes the meaning of an entry before its listing, and views are notified', async () => {
    const { registry, view, shown } = await createServers(
      {
        roles: [
          { role: 'r', allowedTools: ['my.db.query'] },
          { role: 'other', allowedTools: ['my.other'] },
        ],
      },
      [['my', ['db.query', 'other']]],
    );
    expect(shown()).toEqual(['my|db.query']);
    const told: string[] = [];
    view.events.on('tools-changed', ({ removed }) => told.push(...removed));
    view.events.on('access-changed', () => told.push('access'));
    registry.view({ role: 'other' }).events.on('access-changed', () => told.push('other'));
    registry.attach({ name: 'my.db', listTools: () => new Promise(() => undefined), callTool: () => Promise.reject() });
    expect(told).toEqual([publicName('my', 'db.query'), 'access']);
    expect(shown()).toEqual([]);
    await registry.close();
  });

  test('that leaves the configuration gives it back', async () => {
    const { registry, shown } = await createServers({ ...allowing('my.db.query'), knownServers: ['my', 'my.db'] }, [
      ['my', ['db.query']],
    ]);
    expect(shown()).toEqual([]);
    registry.update({ knownServers: ['my'] });
    expect(shown()).toEqual(['my|db.query']);
    registry.update({ knownServers: ['my', 'my.db'] });
    expect(shown()).toEqual([]);
  });

  test('that leaves the configuration before it is detached gives it back when it is', async () => {
    const { registry, attachments, shown } = await createServers(
      { ...allowing('my.db.query'), knownServers: ['my', 'my.db'] },
      [
        ['my', ['db.query']],
        ['my.db', ['query']],
      ],
    );
    registry.update({ knownServers: ['my'] });
    expect(shown()).toEqual(['my.db|query']);
    attachments.get('my.db')?.[Symbol.dispose]();
    expect(shown()).toEqual(['my|db.query']);
  });
});

test('a denial that fits several servers denies tools of each of them', async () => {
  const roles = [{ role: 'r', allowedTools: ['my', 'my.db'], deniedTools: ['my.db.query'] }];
  const { shown } = await createServers({ roles }, [
    ['my', ['db.query', 'other']],
    ['my.db', ['query', 'drop']],
  ]);
  expect(shown()).toEqual(['my|other', 'my.db|drop']);
});

test('a server whose name does not fit into a public name has its pattern there all the same', async () => {
  const { shown } = await createServers(allowing('mcp__my.db__q*'), [
    ['my', ['db.query', 'db__query']],
    ['my.db', ['query', 'drop']],
  ]);
  expect(shown()).toEqual(['my.db|query']);
});

describe('resources and prompts', () => {
  test('belong to the longest server that fits', async () => {
    const roles = [
      { role: 'r', allowedTools: [], allowedResources: ['my.db.x://*'], allowedPrompts: ['my.db.ask', 'my/db/*'] },
    ];
    const { registry } = await createServers({ roles, knownServers: ['my', 'my.db', 'my/db'] }, []);
    const policy = registry.policy({ role: 'r' });
    const uriOf = (server: string, uri: string) => policy({ kind: 'resource', server, uri }).isAllowed;
    const promptOf = (server: string, prompt: string) => policy({ kind: 'prompt', server, prompt }).isAllowed;
    expect([uriOf('my.db', 'x://a'), uriOf('my', 'db.x://a')]).toEqual([true, false]);
    expect([promptOf('my.db', 'ask'), promptOf('my', 'db.ask')]).toEqual([true, false]);
    expect([promptOf('my/db', 'ask'), promptOf('my', 'db/ask')]).toEqual([true, false]);
    expect(['my', 'my.db', 'my/db'].map((server) => policy({ kind: 'any', server }).isAllowed)).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('diagnostics', () => {
  const servers = [
    ['my', ['db.query', 'other']],
    ['my.db', ['query']],
  ] as const;

  test('name an entry that fits several servers, and what it means', async () => {
    const roles = [{ role: 'r', allowedTools: ['my.db.query', 'my.other'], deniedTools: ['my.db.*'] }];
    const { registry } = await createServers({ roles }, servers);
    expect(await registry.diagnostics()).toMatchObject([
      {
        code: 'ambiguous-rule',
        list: 'deniedTools',
        pattern: 'my.db.*',
        servers: ['my.db', 'my'],
        message:
          'The role "r" denies "my.db.*" at roles[0], which fits the servers "my.db" and "my", so it denies tools of each of them',
      },
      {
        code: 'ambiguous-rule',
        server: 'my.db',
        role: 'r',
        list: 'allowedTools',
        pattern: 'my.db.query',
        servers: ['my.db', 'my'],
        message:
          'The role "r" allows "my.db.query" at roles[0], which fits the servers "my.db" and "my", and means "my.db" alone; write public names for tools of "my"',
      },
    ]);
  });

  test('say nothing of a server that has listed no such tool, and of public names', async () => {
    const roles = [{ role: 'r', allowedTools: ['my.db', publicName('my', 'db.query'), 'mcp__my.db__*'] }];
    const { registry, shown } = await createServers({ roles }, servers);
    expect(await registry.diagnostics()).toEqual([]);
    expect(shown()).toEqual([`my|db.query`, 'my.db|query']);
  });

  test('explain says why the tool that was meant is not allowed, and finds the tool of the longest server', async () => {
    const { registry } = await createServers(allowing('my.db.query'), servers);
    const { message, ...facts } = await registry.explain('r', publicName('my', 'db.query'));
    expect(facts).toMatchObject({ decision: 'denied', reason: 'not-listed', server: 'my' });
    expect(message).toContain('which fits the servers "my.db" and "my", and means "my.db" alone');
    expect(await registry.explain('r', 'my.db.query')).toMatchObject({
      decision: 'allowed',
      server: 'my.db',
      tool: 'query',
    });
    expect(await registry.explain('r', 'my/db.query')).toMatchObject({
      decision: 'denied',
      server: 'my',
      tool: 'db.query',
    });
  });
});

const SERVERS = [
  'my',
  'my.db',
  'my.db.x',
  '@acme',
  '@acme/db',
  'a',
  'a_',
  'a__b',
  'a__b__c',
  'a@h',
  'a@h.x',
  'mcp__a',
  'mcp__a__b',
];
const PARTS = ['query', 'db', 'db.query', 'db/query', 'x.query', 'b', 'b__c', '_t', 'b__query', '@h.x', 'a__b', 'c'];

test('a rule made from a server and a tool never allows a tool of another server', async () => {
  const server = fc.constantFrom(...SERVERS);
  const part = fc.constantFrom(...PARTS);
  const spell = fc.constantFrom(
    (of: string, own: string) => `${of}.${own}`,
    (of: string, own: string) => `${of}/${own}`,
    (of: string, own: string) => publicName(of, own),
    (of: string, own: string) => `${of}.${own.slice(0, 1)}*`,
    (of: string, own: string) => `${of}/*${own}`,
    (of: string, own: string) => `mcp__${of}__${own.slice(0, 1)}*`,
    (of: string) => `mcp__${of}__*`,
    (of: string) => of,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(server, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      part,
      spell,
      fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
      async (names, pick, own, write, gone) => {
        const meant = names[pick % names.length] ?? '';
        const rule = write(meant, own);
        const { registry, attachments, shown } = await createServers(
          allowing(rule),
          names.map((name) => [name, PARTS] as const),
        );
        // A longer server name that fits the same text takes its meaning, and the operator hears of it.
        const { server: reads = meant } = readName(rule, (name) => names.includes(name)) ?? {};
        const allowed = () => new Set(shown().map((each) => each.split('|')[0]));
        expect([[], [reads]]).toContainEqual([...allowed()]);
        if (reads !== meant) {
          expect(rule).not.toBe(publicName(meant, own));
          const found = (await registry.diagnostics()).filter(({ code }) => code === 'ambiguous-rule');
          expect(found).toMatchObject([{ pattern: rule, server: reads, servers: expect.arrayContaining([meant]) }]);
        }
        for (const index of gone) {
          attachments.get(names[index % names.length] ?? '')?.[Symbol.dispose]();
          expect([[], [reads]]).toContainEqual([...allowed()]);
        }
        await registry.close();
      },
    ),
    { numRuns: 3_000 },
  );
}, 120_000);
