import { createListSource, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';

async function createCatalogue() {
  const registry = createRegistry();
  const path = { type: 'object', properties: { path: { type: 'string', description: 'Absolute path' } } };
  await registry.attach(
    createListSource('filesystem', [
      tool('read_text_file', { description: 'Read the complete contents of a file as text.', inputSchema: path }),
      tool('write_file', { description: 'Create a new file or overwrite an existing one.', inputSchema: path }),
      tool('list_directory', { description: 'List what a directory contains.', inputSchema: path }),
      tool('directory_tree', { description: 'Get a recursive tree view of files and directories.' }),
      tool('delete_file', { description: 'Delete a file.' }),
    ]),
  ).ready;
  await registry.attach(
    createListSource('git.hub', [
      tool('createPullRequest', {
        title: 'Open a pull request',
        description: 'Opens a new pull request.',
        outputSchema: { type: 'object' },
      }),
      tool('list_issues', { description: 'Lists the issues of a repository. Needs a token.' }),
    ]),
  ).ready;
  registry.register({ name: 'take_note', description: 'Remembers a sentence', keywords: ['memo'] }, () => '');
  return registry;
}

const namesFor = async (query: string, more = {}) =>
  (await (await createCatalogue()).search({ query, ...more })).tools.map((hit) => hit.tool);

describe('a search by words', () => {
  test.each([
    ['read a file', 'read_text_file'],
    ['LIST DIRECTORY', 'list_directory'],
    ['show what is in a folder', 'list_directory'],
    ['open a pull request', 'createPullRequest'],
    ['pullrequest', 'createPullRequest'],
    ['remove files', 'delete_file'],
    ['memo', 'take_note'],
    ['recursive', 'directory_tree'],
    ['recursiv', 'directory_tree'],
    ['recursvie', 'directory_tree'],
    ['search tools', 'search_mcp_tools'],
    ['github issues', 'list_issues'],
  ])('%s finds %s first', async (query, expected) => {
    expect((await namesFor(query))[0]).toBe(expected);
  });

  test.each([
    ['filesystem.write_file', 'write_file'],
    ['filesystem/write_file', 'write_file'],
    ['MCP__filesystem__WRITE_file', 'write_file'],
    ['write_file', 'write_file'],
    ['createpullrequest', 'createPullRequest'],
    [' take_note ', 'take_note'],
  ])('the whole name %s comes first', async (query, expected) => {
    const { mode, tools } = await (await createCatalogue()).search({ query });
    expect([mode, tools[0]?.tool, tools[0]?.coverage]).toEqual(['name', expected, 1]);
  });

  test('has the total, the number of returned tools, and the revision', async () => {
    const registry = await createCatalogue();
    const result = await registry.search({ query: 'file', limit: 2 });
    expect(result).toMatchObject({ mode: 'keyword', returned: 2, truncated: true, revision: registry.revision });
    expect(result.total).toBeGreaterThan(2);
    expect(result.tools).toHaveLength(2);
    const [best, next] = result.tools;
    expect(best?.score).toBeGreaterThanOrEqual(next?.score ?? 0);
  });

  test.each(['', '*', '  '])('the query %j lists', async (query) => {
    const registry = await createCatalogue();
    const { mode, total, truncated, tools } = await registry.search({ query, limit: 100 });
    expect({ mode, total, truncated }).toEqual({ mode: 'list', total: 9, truncated: false });
    expect(tools.map(({ name }) => name)).toEqual(registry.list().map(({ name }) => name));
  });

  test('can be kept to one server', async () => {
    expect(await namesFor('list', { server: 'git.hub' })).toEqual(['list_issues']);
    expect(await namesFor('*', { server: 'git.hub' })).toEqual(['createPullRequest', 'list_issues']);
  });

  test('a miss has a hint and similar names', async () => {
    const registry = await createCatalogue();
    expect(await registry.search({ query: 'writefyl' })).toMatchObject({
      total: 0,
      tools: [],
      hint: expect.stringMatching(/9 tools matches "writefyl".*mcp__filesystem__write_file/),
      suggestions: ['mcp__filesystem__write_file'],
    });
    expect(await registry.search({ query: 'x', server: 'gitlab' })).toMatchObject({
      hint: expect.stringMatching(/named "gitlab".*"filesystem", "git.hub"/),
    });
  });

  test('says which words no tool has, and when what it found is probably not what was meant', async () => {
    const registry = await createCatalogue();
    const far = await registry.search({ query: 'paint a zebra with recursive stripes' });
    expect(far).toMatchObject({
      weak: true,
      hint: expect.stringMatching(/no tool here fits; the nearest lack .*"zebra".*do without/),
    });
    expect(far.unmatchedTerms).toEqual(expect.arrayContaining(['zebra']));
    expect(far.tools[0]?.coverage).toBeLessThan(0.5);
    const near = await registry.search({ query: 'list directory' });
    expect(near).toMatchObject({ unmatchedTerms: [] });
    expect([near.weak, near.hint, near.suggestions]).toEqual([undefined, undefined, undefined]);
    expect(near.tools[0]?.coverage).toBeGreaterThan(0.8);
    expect(near.tools[0]?.matched).toContainEqual({
      field: 'name',
      terms: expect.arrayContaining(['list', 'directory']),
    });
  });

  test('says which needs of a task each tool serves, without another order', async () => {
    const registry = await createCatalogue();
    const query = 'Read the text file, write the issues of the repository to a file and summarize purple zebras';
    const task = await registry.search({ query });
    expect(task.needs).toEqual([
      { text: 'Read the text file' },
      { text: 'write the issues of the repository to a …' },
      { text: 'summarize purple zebras', weak: true },
    ]);
    expect(task.weak).toBeUndefined();
    expect(task.hint).toBe('Probably nothing here for "summarize purple zebras".');
    const served = Object.fromEntries(task.tools.map(({ tool, needs }) => [tool, needs]));
    expect(served).toMatchObject({ read_text_file: [1], list_issues: [2] });
    expect(task.tools.flatMap(({ needs = [] }) => needs)).not.toContain(3);
    // One word less, and it is a single need.
    expect(await registry.search({ query: 'read text files' })).not.toHaveProperty('needs');
  });

  test('labels each page of a task alike', async () => {
    const registry = await createCatalogue();
    const query = 'Read a text file and list the issues of a repository';
    const { tools, needs, total } = await registry.search({ query });
    const first = await registry.search({ query, limit: 1 });
    const { nextCursor: cursor } = first;
    const rest = await registry.search({ query, ...(cursor === undefined ? {} : { cursor }) });
    expect([...first.tools, ...rest.tools]).toEqual(tools);
    expect([first.needs, rest.needs, first.total, rest.total]).toEqual([needs, needs, total, total]);
  });

  test('is weak for a task only if every need is', async () => {
    const registry = await createCatalogue();
    const none = await registry.search({ query: 'Draw purple zebras and calculate lunar eclipses' });
    expect(none).toMatchObject({ weak: true, hint: expect.stringContaining('no tool here fits') });
    expect(none.needs?.map(({ weak }) => weak)).toEqual([true, true]);
    expect(none.tools.flatMap(({ needs = [] }) => needs)).toEqual([]);
  });

  test('stop words match nothing by themselves beside other words', async () => {
    expect(await namesFor('the zebra of the')).toEqual([]);
  });

  test.each(['💥', '\u0000', '!!!', '((((', '_'.repeat(1_000), 'a'.repeat(1_000)])(
    '%j finds nothing and does not fail',
    async (query) => {
      expect(await namesFor(query)).toEqual([]);
    },
  );

  test('does not fail for a tool with invalid parts', async () => {
    const registry = createRegistry();
    const odd = tool('odd', {
      annotations: { title: { toString: 1 } },
      description: 'x'.repeat(5_000_000),
      inputSchema: {
        type: 'object',
        properties: {
          toString: null,
          __proto__: 7,
          list: { enum: [{}, null, 1, 'striped'], items: 'text', description: [] },
        },
        items: [],
      },
    });
    await registry.attach(createListSource('git', [odd, tool('log')])).ready;
    expect((await registry.search({ query: 'striped' })).tools.map((hit) => hit.tool)).toEqual(['odd']);
    expect((await registry.search({ query: 'log' })).tools[0]?.tool).toBe('log');
    expect((await registry.search({ query: '^log$', useRegex: true })).total).toBe(1);
  });

  test('shows the current tools of the registry', async () => {
    const registry = await createCatalogue();
    const note = registry.register({ name: 'zebra', description: 'Paints stripes' }, () => '');
    expect((await registry.search({ query: 'stripes' })).total).toBe(1);
    note[Symbol.dispose]();
    expect((await registry.search({ query: 'stripes' })).total).toBe(0);
  });
});

describe('detail', () => {
  test.each([
    ['names', []],
    ['summary', ['title', 'description']],
    ['full', ['title', 'description', 'inputSchema', 'outputSchema']],
  ] as const)('%s', async (detail, more) => {
    const registry = await createCatalogue();
    const { tools } = await registry.search({ query: 'createPullRequest', detail, limit: 1 });
    const keys = ['name', 'server', 'tool', 'score', 'coverage', 'state', 'matched', ...more];
    expect(tools.map((hit) => Object.keys(hit).toSorted())).toEqual([keys.toSorted()]);
  });
});

describe('an invalid search', () => {
  test.each([
    ['query', { query: 7 }],
    ['useRegex', { query: '', useRegex: 'yes' }],
    ['server', { query: '', server: 1 }],
    ['limit', { query: '', limit: 0 }],
    ['limit', { query: '', limit: 101 }],
    ['limit', { query: '', limit: 1.5 }],
    ['detail', { query: '', detail: 'all' }],
    ['include', { query: '', include: 'running' }],
    ['cursor', { query: '', cursor: 1 }],
  ])('a wrong %s is refused by name', async (field, request) => {
    await expect(createRegistry().search(request as never)).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(field) }),
    );
  });

  test('a query or pattern that is too long is refused with the limit', async () => {
    const registry = createRegistry();
    await expect(registry.search({ query: 'a'.repeat(1_001) })).rejects.toMatchObject({
      code: 'invalid-query',
      message: expect.stringContaining('1000'),
    });
    await expect(registry.search({ query: 'a'.repeat(257), useRegex: true })).rejects.toMatchObject({
      code: 'invalid-query',
      message: expect.stringContaining('256'),
    });
  });
});

test('every tool is found by its own public name, first', async () => {
  const text = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('__proto__', 'constructor', 'get', 'the', '*', '日本'),
  );
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 8 }), async (names) => {
      const registry = createRegistry();
      await registry.attach(
        createListSource(
          'any',
          names.map((name) => tool(name, { description: names.join(' ') })),
        ),
      ).ready;
      for (const { name } of registry.list()) {
        expect((await registry.search({ query: name })).tools[0]?.name).toBe(name);
      }
    }),
    { numRuns: 100 },
  );
});

test('adding a tool never takes another one out of an answer', async () => {
  const word = fc.constantFrom('read', 'write', 'file', 'issue', 'list', 'note', 'files');
  const anyTool = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => tool(words.join('_')));
  await fc.assert(
    fc.asyncProperty(fc.array(anyTool), anyTool, fc.array(word, { minLength: 1 }), async (tools, added, words) => {
      const found = async (offered: readonly unknown[]) => {
        const registry = createRegistry();
        await registry.attach(createListSource('s', offered)).ready;
        const result = await registry.search({ query: words.join(' '), limit: 100 });
        return result.tools.map(({ name }) => name);
      };
      expect(await found([...tools, added])).toEqual(expect.arrayContaining(await found(tools)));
    }),
    { numRuns: 100 },
  );
});
