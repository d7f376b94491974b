import { createListSource, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../../src/registry.js';
import type { SearchRequest } from '../../../src/search/search-request.js';
import type { RegistryView } from '../../../src/views/view.js';
import { nextChange } from '../../helpers/next-event.js';

async function createMany(count = 25) {
  const registry = createRegistry();
  const tools = Array.from({ length: count }, (_, index) => tool(`read_${index}`, { description: 'Reads a page' }));
  const source = createListSource('pages', tools);
  await registry.attach(source).ready;
  return { registry, source, tools };
}

/** All pages of an answer, one after the other. */
async function readAll(view: RegistryView, request: SearchRequest) {
  const names: string[] = [];
  const totals = new Set<number>();
  let cursor: string | undefined;
  do {
    const page = await view.search({ ...request, ...(cursor === undefined ? {} : { cursor }) });
    expect(page.returned).toBe(page.tools.length);
    expect(page.truncated).toBe(page.nextCursor !== undefined);
    names.push(...page.tools.map(({ name }) => name));
    totals.add(page.total);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { names, totals: Array.from(totals) };
}

const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'invalid-cursor', message: expect.stringMatching(message) });

describe('pages of an answer', () => {
  test.each<[string, SearchRequest]>([
    ['words', { query: 'read page' }],
    ['a name', { query: 'read_7' }],
    ['a pattern', { query: 'read_', useRegex: true }],
    ['a list', { query: '*' }],
    ['a list of one server', { query: '', server: 'pages' }],
  ])('of %s follow one another without a gap or a repetition', async (_, request) => {
    const { registry } = await createMany();
    const whole = await registry.search({ ...request, limit: 100 });
    expect(whole.total).toBeGreaterThan(20);
    const { names, totals } = await readAll(registry, { ...request, limit: 7 });
    expect(names).toEqual(whole.tools.map(({ name }) => name));
    expect(totals).toEqual([whole.total]);
  });

  test('may differ in their length and detail', async () => {
    const { registry } = await createMany();
    const { nextCursor: cursor = '' } = await registry.search({ query: '*', limit: 2 });
    const { tools } = await registry.search({ query: '*', limit: 3, detail: 'full', cursor });
    expect(tools.map(({ name }) => name)).toEqual(
      registry
        .list()
        .slice(2, 5)
        .map(({ name }) => name),
    );
  });

  test('stay valid while servers start and stop', async () => {
    const { registry, source } = await createMany();
    const { nextCursor: cursor = '' } = await registry.search({ query: 'read page', limit: 5 });
    const change = nextChange(registry);
    source.state = 'stopped';
    source.announce();
    await change;
    const page = await registry.search({ query: 'read page', limit: 5, cursor });
    expect(page.tools.map(({ state }) => state)).toEqual(Array(5).fill('stopped'));
  });
});

describe('a cursor is refused', () => {
  test('when the tools have changed, with the advice to search again', async () => {
    const { registry } = await createMany();
    for (const query of ['read page', '*', 'read_7']) {
      const { nextCursor: cursor = '' } = await registry.search({ query, limit: 5 });
      const registration = registry.register({ name: `read_more`, description: '' }, () => '');
      await expect(registry.search({ query, cursor })).rejects.toEqual(refused(/have changed.*search again/));
      registration[Symbol.dispose]();
    }
  });

  test('when only ready tools are asked for and a server went down', async () => {
    const { registry, source } = await createMany();
    const request = { query: 'read page', include: 'ready' } as const;
    const { nextCursor: cursor = '' } = await registry.search({ ...request, limit: 5 });
    const change = nextChange(registry);
    source.state = 'stopped';
    source.announce();
    await change;
    await expect(registry.search({ ...request, cursor })).rejects.toEqual(refused(/have changed/));
  });

  test.each<[string, Partial<SearchRequest>]>([
    ['query', { query: 'page' }],
    ['kind of query', { useRegex: true }],
    ['server', { server: 'pages' }],
    ['scope', { include: 'ready' }],
  ])('with another %s', async (_, other) => {
    const { registry } = await createMany();
    const request: SearchRequest = { query: 'read', limit: 5 };
    const { nextCursor: cursor = '' } = await registry.search(request);
    await expect(registry.search({ ...request, ...other, cursor })).rejects.toEqual(refused(/does not belong/));
  });

  test('in the registry of another process, which would have other tools at the same revision', async () => {
    const [one, other] = [await createMany(), await createMany()];
    const { nextCursor: cursor = '' } = await one.registry.search({ query: 'read page', limit: 5 });
    await expect(other.registry.search({ query: 'read page', cursor })).rejects.toEqual(refused(/have changed/));
  });

  test('when it is invented, in any form', async () => {
    const { registry } = await createMany();
    const { nextCursor = '' } = await registry.search({ query: 'read page', limit: 5 });
    const [offset = '', ...rest] = nextCursor.split('.');
    const forged = [`${offset}0.${rest.join('.')}`, `-1.${rest.join('.')}`, nextCursor.slice(1), `${nextCursor} `];
    const text = fc.oneof(fc.constantFrom(...forged), fc.string({ unit: 'binary' }), fc.string({ minLength: 500 }));
    await fc.assert(
      fc.asyncProperty(text, async (cursor) => {
        await expect(registry.search({ query: 'read page', cursor })).rejects.toEqual(refused(/does not belong/));
      }),
    );
  });
});
