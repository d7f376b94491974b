import { createListSource, textOf, tool } from '@x/test-servers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';

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

  test('answers with exactly what the registry has, as text too', async () => {
    const registry = await createSmall();
    const result = await registry.call('search_mcp_tools', { query: 'commits', detail: 'full' });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toEqual({
      mode: 'keyword',
      total: 1,
      returned: 1,
      truncated: false,
      revision: registry.revision,
      unmatchedTerms: [],
      tools: [
        {
          name: 'mcp__git__log',
          server: 'git',
          tool: 'log',
          title: 'Log',
          description: 'Shows commits',
          score: expect.any(Number),
          coverage: 1,
          state: 'running',
          matched: expect.arrayContaining([{ field: 'description', terms: [expect.stringMatching(/^commit/)] }]),
          inputSchema: { type: 'object' },
        },
      ],
    });
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
    const { tools } = await registry.search({ query: 'commits', detail: 'full' });
    expect((result.structuredContent as { tools: unknown }).tools).toEqual(tools);
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
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  });

  test('takes what models fill in for nothing as left out', async () => {
    const registry = await createSmall();
    const gaps = { server: null, cursor: '', limit: null, detail: '', include: null, useRegex: null };
    const [filled, plain] = [
      await registry.call('search_mcp_tools', { query: 'commits', ...gaps }),
      await registry.call('search_mcp_tools', { query: 'commits' }),
    ];
    expect(filled).toEqual(plain);
    expect((await registry.call('search_mcp_tools')).structuredContent).toMatchObject({ mode: 'list', total: 2 });
  });

  test('every answer fits its output schema', async () => {
    const registry = await createSmall();
    const { outputSchema } = registry.get('search_mcp_tools') ?? {};
    const check = new Ajv2020({ strict: false }).compile({ ...outputSchema, additionalProperties: false });
    const requests = [
      { query: 'commits', detail: 'full' },
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
