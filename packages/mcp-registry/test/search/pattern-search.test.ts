import { createListSource, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { searchPattern } from '../../src/search/pattern-search.js';

async function search(pattern: string) {
  const registry = createRegistry();
  await registry.attach(
    createListSource('git', [
      tool('git_log', { description: 'Shows commits' }),
      tool('status', { title: 'Working tree' }),
      tool('show', {
        description: 'Shows one commit',
        inputSchema: { type: 'object', properties: { revision_x: {} } },
      }),
    ]),
  ).ready;
  await registry.attach(
    createListSource('other', [tool('zip', { description: 'Not for git, made of aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' })]),
  ).ready;
  registry.register({ name: 'memo', description: 'A note', keywords: ['Remember'] }, () => '');
  const result = await registry.search({ query: pattern, useRegex: true, limit: 100 });
  return result;
}

const toolsFor = async (pattern: string) => (await search(pattern)).tools.map((hit) => hit.tool);

describe('a search by pattern', () => {
  test('takes the name before the server before the description', async () => {
    expect(await toolsFor('git')).toEqual(['git_log', 'show', 'status', 'zip']);
  });

  test('takes name, server, title and keywords, description, parameters in this order, and then the order of names', async () => {
    const registry = createRegistry();
    const inputSchema = { type: 'object', properties: { zebra: {} } };
    await registry.attach(
      createListSource('a', [
        tool('p2', { inputSchema }),
        tool('p1', { inputSchema }),
        tool('d', { description: 'A zebra', inputSchema }),
        tool('t', { title: 'Zebra', annotations: { title: 'zebra' } }),
        tool('at', { annotations: { title: 'a zebra' } }),
        tool('a_zebra'),
      ]),
    ).ready;
    await registry.attach(createListSource('zebras', [tool('s')])).ready;
    registry.register({ name: 'keyed', description: '', keywords: ['striped', 'zebra'] }, () => '');
    const { tools } = await registry.search({ query: 'zebra', useRegex: true });
    // A public name holds the server's, which is therefore found in the name of that tool.
    expect(tools.map((hit) => [hit.tool, hit.matched[0]?.field])).toEqual([
      ['a_zebra', 'name'],
      ['s', 'name'],
      ['keyed', 'keywords'],
      ['at', 'title'],
      ['d', 'description'],
      ['p1', 'parameters'],
      ['p2', 'parameters'],
    ]);
    const servers = await registry.search({ query: '^zebras$', useRegex: true });
    expect(servers.tools.map((hit) => [hit.tool, hit.matched])).toEqual([['s', [{ field: 'server', terms: [] }]]]);
  });

  test.each([
    ['^git_', ['git_log']],
    ['^mcp__git__s', ['show', 'status']],
    ['^git$', ['git_log', 'show', 'status']],
    ['tree$', ['status']],
    ['(?i)REMEMBER', ['memo']],
    ['REMEMBER', []],
    ['^revision_[a-z]$', ['show']],
    ['^search_mcp', ['search_mcp_tools']],
    ['^$', []],
  ])('%s finds %j', async (pattern, expected) => {
    expect(await toolsFor(pattern)).toEqual(expected);
  });

  test('says that it was one, and how many match', async () => {
    expect(await search('^s')).toMatchObject({ mode: 'regex', total: 3, returned: 3, scanned: 6, truncated: false });
  });

  test.each(['(a+)+$', '(a|aa)+$', '(.*)*x', '([a-z]+\\s?)+$', '(x+x+)+y'])('%s takes no time', async (pattern) => {
    expect((await search(pattern)).mode).toBe('regex');
  });
});

describe('an invalid pattern', () => {
  test.each([
    ['(abc', 'missing closing )', 4],
    ['[abc', 'missing closing ]', 4],
    ['a**', 'invalid nested repetition operator', 1],
    ['git_[z-a]', 'invalid character class range', 5],
    ['x(?=y)', 'invalid or unsupported Perl syntax', 1],
    ['(a)\\1', 'invalid escape sequence', 3],
    ['*', 'missing argument to repetition operator', 0],
    ['x{1001}', 'invalid repeat count', 1],
    ['abc)', 'unexpected )', undefined],
    ['abc\\', 'trailing backslash at end of expression', 4],
  ])('%s is an error that says why and where', async (pattern, reason, position) => {
    await expect(search(pattern)).rejects.toMatchObject({
      code: 'invalid-pattern',
      reason,
      position,
      message: expect.stringContaining(reason),
    });
  });

  test('counts that nest into something large are refused', async () => {
    await expect(search('((a{1,30}){1,30}b{1,900}){1}')).rejects.toMatchObject({ code: 'invalid-pattern' });
  });
});

test.each([
  ['GIT', true],
  ['^shows ONE commit$', true],
  ['[A-Z]IP', true],
  ['nothing', false],
  ['(?i)nothing', false],
  ['(?-i:GIT)', false],
])('the hint for %s says whether it misses for its case: %s', async (pattern, isCase) => {
  const { total, hint } = await search(pattern);
  expect(total).toBe(0);
  expect(hint?.includes('begin with (?i)')).toBe(isCase);
});

describe('the time of a pattern', () => {
  const views = createRegistry().list();
  const many = Array.from({ length: 1_000 }, () => views[0]).filter((view) => view !== undefined);

  /** Found in the description of the search tool only, so that names and title are tried in vain. */
  const DEEP = 'available right now';

  /** A clock that goes on by as much with every look at it. */
  const clockOf = (stepMs: number) => {
    let time = 0;
    return () => (time += stepMs);
  };
  const options = (stepMs: number) => ({ now: clockOf(stepMs), throwIfOver: () => undefined });

  test('ends after 250 milliseconds, with the matches so far', async () => {
    const { matches, scanned, timedOut } = await searchPattern(DEEP, many, options(5));
    expect(timedOut).toBe(true);
    expect(scanned).toBeGreaterThan(20);
    expect(scanned).toBeLessThan(500);
    expect(matches).toHaveLength(scanned);
  });

  test('is enough for patterns that take less', async () => {
    const answer = await searchPattern(DEEP, many, options(0.1));
    expect(answer).toMatchObject({ scanned: 1_000, timedOut: false });
  });

  test('leaves turns to other work', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await searchPattern(DEEP, many, options(0.6));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  test('is also checked within a tool, which may have many texts', async () => {
    const registry = createRegistry();
    const parameters = Array.from({ length: 200 }, (_, index) => [`${index}`.padEnd(200, 'x'), { type: 'string' }]);
    const inputSchema = { type: 'object', properties: Object.fromEntries(parameters) };
    await registry.attach(createListSource('s', [tool('large', { inputSchema })])).ready;
    const large = registry.list().filter((view) => view.tool === 'large');
    const answer = await searchPattern('(?:[a-m].{20}|[b-n].{21}){8}[^ -~]', large, options(60));
    expect(answer).toEqual({ matches: [], scanned: 0, timedOut: true });
  });

  test('that is over gives an answer that says so, and no cursor', async () => {
    const registry = createRegistry();
    const description = `${'long '.repeat(250)} and wanted`;
    const tools = Array.from({ length: 2_000 }, (_, index) => tool(`t${index}`, { description }));
    await registry.attach(createListSource('s', tools)).ready;
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 5));
    onTestFinished(() => clock.mockRestore());

    const result = await registry.search({ query: 'wanted$', useRegex: true });
    expect(result).toMatchObject({ timedOut: true, truncated: true, hint: expect.stringMatching(/took too long/) });
    expect(result.scanned).toBeLessThan(1_000);
    expect(result.nextCursor).toBeUndefined();
  });

  test.each([
    ['aborts', 'enough'],
    ['closes', 'closed'],
  ])('ends when the signal or the registry %s', async (how, message) => {
    const registry = createRegistry();
    const words = 'abcdefghij'.repeat(150);
    const tools = Array.from({ length: 2_000 }, (_, index) => tool(`t${index}`, { description: words }));
    await registry.attach(createListSource('s', tools)).ready;
    const controller = new AbortController();
    const search = registry.search(
      { query: '(?:[a-m].{20}|[b-n].{21}|[c-o].{22}){8}[^ -~]', useRegex: true },
      { signal: controller.signal },
    );
    if (how === 'aborts') controller.abort(new Error('enough'));
    else void registry.close();
    await expect(search).rejects.toThrow(message);
  });
});

test('any text as a pattern is answered or refused with a reason', async () => {
  const registry = createRegistry();
  const piece = fc.constantFrom(
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '*',
    '+',
    '?',
    '|',
    '\\',
    '^',
    '$',
    '.',
    'a',
    '1',
    ',',
    '-',
  );
  const pattern = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ unit: piece, maxLength: 40 }));
  await fc.assert(
    fc.asyncProperty(pattern, async (query) => {
      const answer = await registry.search({ query, useRegex: true }).catch((error) => error);
      if (answer instanceof Error)
        expect(answer).toMatchObject({ code: 'invalid-pattern', reason: expect.any(String) });
      else expect(answer.total).toBeLessThan(2);
    }),
    { numRuns: 200 },
  );
});
