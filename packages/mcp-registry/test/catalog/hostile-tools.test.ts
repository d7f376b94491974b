import { createListSource, textOf, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTools } from '../../src/catalog/check-tools.js';
import { createRegistry } from '../../src/registry.js';

const HIDDEN_BUT_LINE_FEED = /(?!\n)[\p{Cc}\p{Cf}]/u;

const nested = (levels: number) => {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { items: schema };
  return schema;
};

async function offered(tools: readonly unknown[], name = 'bad') {
  const registry = createRegistry();
  await registry.attach(createListSource(name, tools)).ready;
  const listed = registry.list().filter(({ server }) => server === name);
  return { registry, listed, diagnostics: await registry.diagnostics() };
}

describe('sizes', () => {
  test('a description of 5 MB is cut, with a mark and a diagnostic, and the tool is kept', async () => {
    const { registry, listed, diagnostics } = await offered([tool('big', { description: 'x'.repeat(5_000_000) })]);
    expect(listed[0]?.description).toMatch(/^x{32768} \[…\]$/);
    expect(diagnostics).toEqual([
      {
        code: 'reduced-tool',
        server: 'bad',
        tool: 'big',
        field: 'description',
        message: 'Server "bad": the "description" of "big" was cut to its first 32768 characters',
      },
    ]);
    expect(textOf(await registry.call('mcp__bad__big'))).toBe('bad ran big');
  });

  test('a cut never splits a character', async () => {
    const { listed } = await offered([tool('big', { title: `x${'😀'.repeat(1_000)}` })]);
    expect(listed[0]?.title).not.toMatch(/\p{Cs}/u);
  });

  test.each(['outputSchema', 'annotations', '_meta', 'somethingElse'])(
    '%s that is too large is omitted, and the tool is kept',
    async (field) => {
      const { listed, diagnostics } = await offered([tool('big', { [field]: { text: 'x'.repeat(600_000) } })]);
      expect(listed).toHaveLength(1);
      expect(listed[0]).not.toHaveProperty(field);
      expect(diagnostics).toMatchObject([{ code: 'reduced-tool', field }]);
    },
  );

  test.each([
    [
      'an input schema of 5 MB',
      tool('a', { inputSchema: { type: 'object', description: 'x'.repeat(5_000_000) } }),
      /inputSchema has more than 524288 characters/,
    ],
    [
      'an input schema of 10 000 levels',
      tool('a', { inputSchema: { type: 'object', ...nested(10_000) } }),
      /inputSchema nests deeper than 100 levels/,
    ],
    [
      '100 000 branches',
      tool('a', { inputSchema: { type: 'object', anyOf: Array.from({ length: 100_000 }, () => ({})) } }),
      /inputSchema has more than 100000 values/,
    ],
    ['a name of 10 kB', tool('x'.repeat(10_000)), /its name has 10000 characters, of which 1024 are allowed/],
    [
      'a thousand fields',
      tool('a', Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, n]))),
      /more than 64 fields/,
    ],
  ])('%s is refused, and the others are kept', async (_, bad, reason) => {
    const { listed, diagnostics } = await offered([tool('before'), bad, tool('after')]);
    expect(listed.map((view) => view.tool)).toEqual(['after', 'before']);
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'invalid-tool', message: expect.stringMatching(reason) }),
    ]);
    expect(diagnostics[0]?.message.length).toBeLessThan(500);
  });

  test('a list of faults only is reported as the first thousand and the number of the others', () => {
    const { tools, refused } = checkTools(
      'bad',
      Array.from({ length: 5_000 }, () => 7),
    );
    expect([tools.length, refused.length]).toEqual([0, 1_001]);
    expect(refused.at(-1)).toEqual({
      code: 'too-many-tools',
      server: 'bad',
      message: 'Server "bad": 4000 more entries of its list were refused or shortened',
    });
  });

  test('a sparse list of maximum length is not iterated', () => {
    const { tools, refused } = checkTools('bad', new Array(2 ** 32 - 1));
    expect(tools).toEqual([]);
    expect(refused.at(-1)?.message).toMatch(/4294867295 entries after the first 100000 were not read/);
  });

  test('the total size of a server’s tools is bounded', () => {
    const schema = { type: 'object', description: 'x'.repeat(500_000) };
    const { tools, refused } = checkTools(
      'bad',
      Array.from({ length: 200 }, (_, n) => tool(`t${n}`, { inputSchema: schema })),
    );
    expect(tools.length).toBeGreaterThan(100);
    expect(tools.length).toBeLessThan(140);
    expect(tools.length + refused.length).toBe(200);
  });
});

describe('names', () => {
  const names = [
    'with space',
    'a/b',
    'a\nb',
    'a"b',
    '\u202eevil',
    'аdmin',
    'e\u0301',
    'é',
    '\u0000',
    '\ud800',
    '🛠',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ];

  test.each(names)('%j is encoded by rule, and called by what the server calls it', async (name) => {
    const { registry, listed } = await offered([tool(name), tool('admin')]);
    const view = listed.find((each) => each.tool === name);
    expect(view?.name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
    expect(textOf(await registry.call(String(view?.name)))).toBe(`bad ran ${name}`);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    ['an empty one', ''],
    ['none', undefined],
    ['a number', 7],
  ])('%s is refused', async (_, name) => {
    const { listed, diagnostics } = await offered([{ ...tool('x'), name }]);
    expect([listed.length, diagnostics[0]?.code]).toEqual([0, 'invalid-tool']);
  });

  test.each(names)('%j is an ordinary name of a server', async (name) => {
    const { registry, listed } = await offered([tool('run')], name);
    expect(listed).toMatchObject([{ server: name, tool: 'run' }]);
    expect(textOf(await registry.call(String(listed[0]?.name)))).toBe(`${name} ran run`);
    expect((await registry.describe(String(listed[0]?.name)))?.text).not.toMatch(HIDDEN_BUT_LINE_FEED);
  });

  test('the first of two tools with one name is kept, deterministically', async () => {
    const twice = [tool('a', { title: 'first' }), tool('a', { title: 'second' })];
    const { listed, diagnostics } = await offered(twice);
    expect(listed.map(({ title }) => title)).toEqual(['first']);
    expect(diagnostics).toMatchObject([{ code: 'duplicate-tool', tool: 'a' }]);
    expect(checkTools('bad', twice)).toEqual(checkTools('bad', structuredClone(twice)));
  });

  test('hidden characters are escaped in reports', async () => {
    const { diagnostics } = await offered([tool('\u001b[2J\u202e\u200b\u{e0041}', { icons: 1 })]);
    expect(diagnostics[0]?.message).toContain('\\u001b[2J\\u202e\\u200b\\u{e0041}');
  });

  test('hidden characters are kept for the model', async () => {
    const description = 'Reads\u200b a file\u202e';
    expect((await offered([tool('a', { description })])).listed[0]?.description).toBe(description);
  });
});

test.each([[['weather']], [[5]], ['weather'], [5], [{}]])(
  'keywords of a source, %j, are ignored and do not slow a search',
  async (keywords) => {
    const { registry, listed } = await offered([tool('a', { keywords }), tool('b')]);
    expect(listed[0]).not.toHaveProperty('keywords');
    expect((await registry.search({ query: 'does b' })).tools[0]).toMatchObject({ tool: 'b' });
    expect((await registry.search({ query: 'weather' })).total).toBe(0);
    expect((await registry.search({ query: '^b$', useRegex: true })).tools).toMatchObject([{ tool: 'b' }]);
  },
);

describe('x-mcp-header', () => {
  const withHeader = (name: unknown, more: Record<string, unknown> = { type: 'string' }) =>
    tool('a', { inputSchema: { type: 'object', properties: { p: { ...more, 'x-mcp-header': name } } } });

  test.each([
    [
      'no header name',
      withHeader('with space'),
      /"p" has "x-mcp-header" with "with space", which cannot be part of a header/,
    ],
    ['a line break', withHeader('a\r\nb'), /cannot be part of a header/],
    ['no text', withHeader(7), /cannot be part of a header/],
    ['an object', withHeader('a', { type: 'object' }), /is not a string, integer or boolean/],
    [
      'two of one name',
      tool('a', {
        inputSchema: {
          type: 'object',
          properties: { p: { type: 'string', 'x-mcp-header': 'a' }, q: { type: 'string', 'x-mcp-header': 'A' } },
        },
      }),
      /of another one/,
    ],
    [
      'one at the root',
      tool('a', { inputSchema: { type: 'object', 'x-mcp-header': 'a' } }),
      /which only a property of the arguments themselves may have/,
    ],
    [
      'one in an item',
      tool('a', {
        inputSchema: { type: 'object', properties: { p: { items: { type: 'string', 'x-mcp-header': 'a' } } } },
      }),
      /which only a property of the arguments themselves may have/,
    ],
  ])('with %s only refuses that tool, with the reason', async (_, bad, reason) => {
    const { listed, diagnostics } = await offered([tool('before'), bad]);
    expect(listed.map((view) => view.tool)).toEqual(['before']);
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'invalid-tool', tool: 'a', message: expect.stringMatching(reason) }),
    ]);
  });

  test.each([
    ['an argument', withHeader('X-Region')],
    [
      'an argument of an argument',
      tool('a', {
        inputSchema: {
          type: 'object',
          properties: { p: { properties: { q: { type: 'boolean', 'x-mcp-header': 'Q' } } } },
        },
      }),
    ],
    ['a value that looks like one', tool('a', { inputSchema: { type: 'object', default: { 'x-mcp-header': 1 } } })],
    [
      'an argument of that name',
      tool('a', { inputSchema: { type: 'object', properties: { 'x-mcp-header': { type: 'object' } } } }),
    ],
  ])('at %s is kept', async (_, good) => {
    expect((await offered([good])).listed).toHaveLength(1);
  });
});

test('each object of any list is kept or refused, and nothing is thrown', () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const endless: unknown = new Proxy(
    {},
    {
      ownKeys: () => ['a'],
      get: () => endless,
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    },
  );
  const odd: readonly unknown[] = [
    revoked.proxy,
    endless,
    {
      get name() {
        throw new Error('no');
      },
    },
    {
      ...tool('a'),
      get inputSchema() {
        throw new RangeError('no');
      },
    },
    {
      ...tool('t'),
      inputSchema: {
        get type() {
          throw new RangeError('no');
        },
      },
    },
    tool('b', { _meta: endless }),
    tool('c', { inputSchema: { type: 'object', properties: revoked.proxy } }),
    tool('d', {
      toJSON() {
        throw new Error('no');
      },
    }),
    new Date(),
    new Map(),
    Symbol('x'),
    () => {},
  ];
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          // By place, because fast-check itself cannot look at some of them.
          fc.nat(odd.length - 1).map((place) => ({ odd: place })),
          fc.anything(),
          fc.string().map((name) => tool(name)),
        ),
      ),
      (made) => {
        const entries = made.map((entry) => (isOdd(entry) ? odd[entry.odd] : entry));
        const { tools, refused } = checkTools('any', entries);
        const reduced = refused.filter(({ code }) => code === 'reduced-tool').length;
        expect(tools.length + refused.length - reduced).toBe(entries.length);
      },
    ),
  );
});

function isOdd(entry: unknown): entry is { readonly odd: number } {
  return typeof entry === 'object' && entry !== null && 'odd' in entry && typeof entry.odd === 'number';
}
