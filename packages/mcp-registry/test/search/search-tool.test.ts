import type { SourceTool, ToolCallResult, ToolSource, ToolSourceState } from '@x/internal/contracts';
import { createListSource, textOf, tool } from '@x/test-servers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';

const withState = (state: ToolSourceState, tools: readonly SourceTool[]): ToolSource => ({
  ...createListSource('git', tools),
  state,
});

async function createSmall() {
  const registry = createRegistry();
  await registry.attach(createListSource('git', [tool('log', { title: 'Log', description: 'Shows commits' })])).ready;
  return registry;
}

describe('search_mcp_tools', () => {
  test('is in every registry and finds itself', async () => {
    const registry = createRegistry();
    expect(registry.list().map(({ name }) => name)).toEqual(['search_mcp_tools']);
    const { structuredContent } = await registry.call('search_mcp_tools', { query: 'search tools' });
    expect(structuredContent).toMatchObject({ total: 1, returned: 1, tools: [{ name: 'search_mcp_tools' }] });
  });

  test('answers with one line a tool, from which it can be called', async () => {
    const registry = await createSmall();
    const result = await registry.call('search_mcp_tools', { query: 'commits' });
    expect(result).toEqual({
      content: [{ type: 'text', text: 'mcp__git__log(): Shows commits' }],
      structuredContent: {
        total: 1,
        returned: 1,
        tools: [{ name: 'mcp__git__log', parameters: '', description: 'Shows commits' }],
      },
    });
  });

  test('shows parameters, the first sentence, and what to know before a call', async () => {
    const registry = createRegistry();
    const inputSchema = {
      type: 'object',
      properties: {
        wait: { type: 'integer', description: 'How long to wait, in seconds', minimum: 1 },
        mode: { enum: ['a', 'b'] },
        path: { type: 'string' },
      },
      required: ['path'],
    };
    const annotations = { destructiveHint: true };
    const description = '\n  Drops\n  commits, e.g. those of a branch. Only with care.\n\nMore.';
    const reset = tool('reset', { description, annotations, inputSchema });
    await registry.attach(
      withState('stopped', [
        reset,
        tool('log', { title: 'Shows commits', description: '' }),
        tool('pull', { description: '' }),
      ]),
    ).ready;
    const search = async (args: object) => registry.call('search_mcp_tools', { limit: 1, ...args });
    const lineOf = (result: ToolCallResult) => textOf(result).split('\n')[0];

    const reported = await search({ query: 'git.reset' });
    expect(lineOf(reported)).toBe(
      "mcp__git__reset(path: string, wait?: integer (seconds), mode?: 'a'|'b'): " +
        'Drops commits, e.g. those of a branch. [destructive] [stopped]',
    );
    expect(reported.structuredContent).toMatchObject({ tools: [{ destructive: true, state: 'stopped' }] });
    expect(lineOf(await search({ query: 'git.log' }))).toBe('mcp__git__log(): Shows commits [stopped]');
    expect(lineOf(await search({ query: 'git.pull' }))).toBe('mcp__git__pull() [stopped]');
  });

  test('says how many more match a list and a pattern, with a cursor', async () => {
    const registry = createRegistry();
    const tools = Array.from({ length: 7 }, (_, at) => tool(`log_${at}`, { description: 'Logs' }));
    await registry.attach(createListSource('git', tools)).ready;
    const ranked = await registry.call('search_mcp_tools', { query: 'logs' });
    expect(textOf(ranked).split('\n')).toEqual(Array(5).fill(expect.stringContaining('(): Logs')));
    expect(ranked.structuredContent).toMatchObject({ total: 7, returned: 5 });
    expect(ranked.structuredContent).not.toHaveProperty('nextCursor');

    const request = { query: '^log_', useRegex: true, detail: 'names', limit: 6 };
    const first = await registry.call('search_mcp_tools', request);
    const { nextCursor: cursor, tools: names } = first.structuredContent as { nextCursor: string; tools: object[] };
    expect(names).toEqual(tools.slice(0, 6).map(({ name }) => ({ name: `mcp__git__${name}` })));
    expect(textOf(first).split('\n').at(-1)).toBe(`…+1 more, cursor ${cursor}`);
    const last = await registry.call('search_mcp_tools', { ...request, cursor });
    expect(last.structuredContent).toEqual({ total: 7, returned: 1, tools: [{ name: 'mcp__git__log_6' }] });
  });

  test('shows in the text and in the data which line serves which need of a task', async () => {
    const registry = createRegistry();
    const annotations = { destructiveHint: true };
    await registry.attach(
      createListSource('git', [
        tool('log', { description: 'Shows commits' }),
        tool('push', { description: 'Pushes a branch', annotations }),
      ]),
    ).ready;
    const query = 'Show the log of commits, then push the branch and send \u202eflowers to Anna';
    const result = await registry.call('search_mcp_tools', { query, limit: 2 });
    expect(textOf(result).split('\n')).toEqual([
      'mcp__git__log(): Shows commits [1]',
      'mcp__git__push(): Pushes a branch [destructive] [2]',
      'Serving: [1] "Show the log of commits" [2] "push the branch"',
      'Probably nothing here for "send \\u202eflowers to Anna".',
    ]);
    expect(result.structuredContent).toMatchObject({
      needs: [{ text: 'Show the log of commits' }, { text: 'push the branch' }, { weak: true }],
      tools: [
        { name: 'mcp__git__log', needs: [1] },
        { name: 'mcp__git__push', needs: [2] },
      ],
    });
    const names = await registry.call('search_mcp_tools', { query, detail: 'names' });
    expect(textOf(names).split('\n').slice(0, 2)).toEqual(['mcp__git__log [1]', 'mcp__git__push [2]']);
    const one = await registry.call('search_mcp_tools', { query, limit: 1 });
    expect(textOf(one)).toContain(
      '\nServing: [1] "Show the log of commits"\nSearch by itself for "push the branch".\n',
    );
  });

  test('says in the text and in the data that nothing matches', async () => {
    const result = await (await createSmall()).call('search_mcp_tools', { query: 'lgo' });
    const { hint } = result.structuredContent as { hint: string };
    expect(result.structuredContent).toEqual({ total: 0, returned: 0, tools: [], hint: expect.any(String) });
    expect(textOf(result)).toBe(hint);
    expect(hint).toContain('mcp__git__log');
  });

  test('gives one whole definition by name, and more of them only on request', async () => {
    const registry = createRegistry();
    const inputSchema = { type: 'object', properties: { path: { type: 'string', description: 'Where' } } };
    const description = `Shows commits. ${'Newest first. '.repeat(20)}`;
    const log = tool('log', { title: 'Log', description, inputSchema, outputSchema: { type: 'object' } });
    await registry.attach(createListSource('git', [log, tool('log_all', { description })])).ready;
    const result = await registry.call('search_mcp_tools', { query: 'mcp__git__log', detail: 'full' });
    expect(result.structuredContent).toEqual({
      total: 3,
      returned: 1,
      tools: [{ ...log, name: 'mcp__git__log', server: 'git', tool: 'log', state: 'running' }],
    });
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
    const both = await registry.call('search_mcp_tools', { query: 'mcp__git__log', detail: 'full', limit: 2 });
    expect(both.structuredContent).toMatchObject({ returned: 2 });
  });

  test('gives with evidence what the registry gives to an app', async () => {
    const registry = await createSmall();
    const result = await registry.call('search_mcp_tools', { query: 'commits', detail: 'evidence' });
    expect(result.structuredContent).toEqual(await registry.search({ query: 'commits' }));
    expect(result.structuredContent).toMatchObject({ tools: [{ score: expect.any(Number), coverage: 1 }] });
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  });

  test('says with full detail what a tool does to its world, its keywords and the state of its server', async () => {
    const registry = createRegistry();
    const annotations = { destructiveHint: true };
    await registry.attach(createListSource('git', [tool('reset', { description: 'Drops commits', annotations })]))
      .ready;
    registry.register(
      { name: 'memo', description: 'A note', keywords: ['kw'], annotations: { readOnlyHint: true } },
      () => '',
    );
    const found = async (query: string, detail?: string) => {
      const { structuredContent } = await registry.call('search_mcp_tools', { query, detail, limit: 1 });
      return (structuredContent as { tools: readonly object[] }).tools[0];
    };
    expect(await found('reset', 'full')).toMatchObject({ annotations, state: 'running' });
    expect(await found('memo', 'full')).toMatchObject({ annotations: { readOnlyHint: true }, keywords: ['kw'] });
    expect(await found('reset')).not.toHaveProperty('annotations');
    expect(await found('memo')).not.toHaveProperty('keywords');
  });

  test('a broken pattern is an error that says where and why, not an empty list', async () => {
    const result = await (await createSmall()).call('search_mcp_tools', { query: 'a**', useRegex: true });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        error: { code: 'invalid-pattern', position: 1, reason: 'invalid nested repetition operator' },
      },
    });
    expect(textOf(result)).toMatch(
      /^The pattern "a\*\*" cannot be searched for: invalid nested repetition operator at/,
    );
  });

  test('takes what models fill in for nothing as left out', async () => {
    const registry = await createSmall();
    const gaps = { server: null, cursor: '', limit: null, detail: '', include: null, useRegex: null };
    const [filled, plain] = [
      await registry.call('search_mcp_tools', { query: 'commits', ...gaps }),
      await registry.call('search_mcp_tools', { query: 'commits' }),
    ];
    expect(filled).toEqual(plain);
    expect((await registry.call('search_mcp_tools')).structuredContent).toMatchObject({ total: 2, returned: 2 });
  });

  test('every answer fits its output schema', async () => {
    const registry = await createSmall();
    const { outputSchema } = registry.get('search_mcp_tools') ?? {};
    const check = new Ajv2020({ strict: false }).compile({ ...outputSchema });
    const requests = [
      { query: 'commits', detail: 'full' },
      { query: 'commits', detail: 'evidence' },
      { query: 'commits', detail: 'names' },
      { query: '*', limit: 1 },
      { query: 'log' },
      { query: 'l.g', useRegex: true },
      { query: 'lgo' },
      { query: 'nothing of this kind' },
      { query: 'commits made by aliens from outer space' },
    ];
    for (const request of requests) {
      const { structuredContent } = await registry.call('search_mcp_tools', request);
      expect(check(structuredContent), JSON.stringify(check.errors)).toBe(true);
    }
  });

  test.each([
    ['invalid-query', { query: 'x'.repeat(1_001) }],
    ['invalid-arguments', { query: 1 }],
    ['invalid-arguments', { query: 'log', useRegexp: true }],
    ['invalid-cursor', { query: 'log', cursor: 'made up' }],
    ['invalid-arguments', { query: 'log', limit: 1_000 }],
    ['invalid-arguments', { query: 'log', detail: 'everything' }],
  ])('%s is an error payload', async (code, args) => {
    const result = await (await createSmall()).call('search_mcp_tools', args);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code } } });
  });
});
