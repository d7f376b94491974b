import { createListSource, textOf, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import type { SearchResult } from '../../src/search/search-request.js';

async function createSmall() {
  const registry = createRegistry({ roles: [{ role: 'reader', allowedTools: ['files.read_*'] }] });
  await registry.attach(createListSource('files', [tool('read_text'), tool('write_text')])).ready;
  return registry;
}

describe('a query', () => {
  test.each<[string, string]>([
    ['of nested quantifiers', '(a+)+$'],
    ['of punctuation only', '?!.,;:()[]{}*+^$|\\/'],
    ['of emoji', '💥🔥👩‍👩‍👧‍👦'],
    ['of NUL', '\u0000'.repeat(100)],
    ['of half characters', '\ud800\udc00\ud800'],
    ['of one long word', 'a'.repeat(1_000)],
    ['of dots and slashes', './'.repeat(500)],
    ['of a thousand underscores', '_'.repeat(1_000)],
    ['of property names', '__proto__ constructor hasOwnProperty toString'],
  ])('%s finds nothing and does not fail', async (_, query) => {
    const result = await (await createSmall()).search({ query });
    expect(result).toMatchObject({ mode: 'keyword', total: 0, tools: [], hint: expect.any(String) });
  });

  test('of more than 64 different words is read up to there', async () => {
    const words = Array.from({ length: 80 }, (_, index) => `zz${String.fromCharCode(97 + (index % 26))}${index}q`);
    const registry = await createSmall();
    const result = await registry.search({ query: `read ${words.join(' ')}`.slice(0, 1_000) });
    expect(result.tools[0]?.tool).toBe('read_text');
    expect(result.unmatchedTerms.length).toBeLessThanOrEqual(64);
  });

  test.each([[{ query: 'x'.repeat(1_000_000) }], [{ query: '(x+x+)+'.repeat(150_000), useRegex: true }]])(
    'of a megabyte is refused at once',
    async (request) => {
      await expect((await createSmall()).search(request)).rejects.toMatchObject({ code: 'invalid-query' });
    },
  );

  test('as a pattern runs on an engine that takes linear time', async () => {
    const registry = createRegistry();
    const description = `${'a'.repeat(1_400)}!`;
    await registry.attach(createListSource('s', [tool('x', { description })])).ready;
    const result = await registry.search({ query: '^(a+)+$', useRegex: true });
    expect(result).toMatchObject({ total: 0, scanned: 2 });
  });
});

describe('schemas', () => {
  test('are read to the third level and no further, and a tool is found by what is there', async () => {
    const nest = (depth: number): object =>
      depth === 0 ? {} : { type: 'object', properties: { [`level${'abcdef'[6 - depth]}`]: nest(depth - 1) } };
    const registry = createRegistry();
    await registry.attach(createListSource('s', [tool('x', { inputSchema: nest(6) })])).ready;
    const total = async (query: string) => (await registry.search({ query, useRegex: true })).total;
    expect([await total('^levelc$'), await total('^leveld$'), await total('^levelf$')]).toEqual([1, 1, 0]);
  });

  test('with a hundred thousand branches cost no more than some', async () => {
    const anyOf = Array.from({ length: 20_000 }, (_, index) => ({ properties: { [`branch${index}`]: {} } }));
    const registry = createRegistry();
    await registry.attach(createListSource('s', [tool('x', { inputSchema: { type: 'object', anyOf } })])).ready;
    expect((await registry.search({ query: '^branch3$', useRegex: true })).total).toBe(1);
    expect((await registry.search({ query: 'branch3' })).total).toBe(1);
    expect((await registry.search({ query: '^branch9999$', useRegex: true })).total).toBe(0);
  });
});

describe('what does not show', () => {
  const hidden = 'Reads\u202e\u200b\u001b[2J\u{e0041}\u009b a file';

  test('stays as it was sent in a whole definition, in the data and in the text that a parser reads', async () => {
    const registry = createRegistry();
    await registry.attach(createListSource('s', [tool('read', { description: hidden })])).ready;
    const result = await registry.call('search_mcp_tools', { query: 's.read', detail: 'full' });
    const [hit] = (result.structuredContent as unknown as SearchResult).tools;
    expect(hit?.description).toBe(hidden);
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  });

  test('is written as escapes in the text, which no terminal obeys', async () => {
    const registry = createRegistry();
    await registry.attach(createListSource('s', [tool('read', { description: hidden })])).ready;
    const whole = textOf(await registry.call('search_mcp_tools', { query: 's.read', detail: 'full' }));
    expect(whole).toMatch(/^[ -~]*$/);
    expect(whole).toContain('\\u202e\\u200b\\u001b[2J\\udb40\\udc41\\u009b');
    const miss = textOf(await registry.call('search_mcp_tools', { query: 'zz\u202ezz\u001b[2J' }));
    expect(miss).toMatch(/^[ -~\n…]*$/);
  });

  test('is written as escapes in a line for a model, in the data as well', async () => {
    const registry = createRegistry();
    const inputSchema = { type: 'object', properties: { 'a\u200bb': { enum: ['x\u{e0041}\n'] } } };
    await registry.attach(createListSource('s', [tool('read', { description: hidden, inputSchema })])).ready;
    const result = await registry.call('search_mcp_tools', { query: 's.read', limit: 1 });
    const parameters = '"a\\u200bb"?: "x\\u{e0041}\\n"';
    const description = 'Reads\\u202e\\u200b\\u001b[2J\\u{e0041}\\u009b a file';
    expect(result.structuredContent).toMatchObject({ tools: [{ name: 'mcp__s__read', parameters, description }] });
    expect(textOf(result).split('\n')[0]).toBe(`mcp__s__read(${parameters}): ${description}`);
  });
});

describe('a search by a role', () => {
  test('answers for a forbidden tool as for one that does not exist, in every part of the answer', async () => {
    const registry = await createSmall();
    const bare = createRegistry({ roles: [{ role: 'reader', allowedTools: ['files.read_*'] }] });
    await bare.attach(createListSource('files', [tool('read_text')])).ready;
    const [reader, expected] = [registry.view({ role: 'reader' }), bare.view({ role: 'reader' })];
    const requests = [
      'write_text',
      'files.write_text',
      'mcp__files__write_text',
      'write',
      'writ_text',
      'text',
      '*',
    ].flatMap((query) => [{ query }, { query, server: 'files' }, { query, server: 'other' }]);
    for (const request of [...requests, { query: 'write', useRegex: true }, { query: '.', useRegex: true }]) {
      expect(await reader.search(request)).toEqual({ ...(await expected.search(request)), revision: reader.revision });
    }
  });
});
