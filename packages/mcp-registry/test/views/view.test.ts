import { createListSource, textOf, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { matchesTool } from '../../src/roles/tool-pattern.js';
import type { SearchResult } from '../../src/search/search-request.js';
import type { RegistryView } from '../../src/views/view.js';

const roles = [
  { role: 'review', allowedTools: ['files.read_*', 'note'] },
  { role: 'none', allowedTools: [] },
];

async function createFiles() {
  const registry = createRegistry({ roles });
  const source = createListSource('files', [tool('read_text'), tool('write_text'), tool('delete_all')]);
  await registry.attach(source).ready;
  registry.register({ name: 'note', description: 'Takes a note' }, () => 'noted');
  registry.register({ name: 'admin', description: 'Administers' }, () => 'done');
  return { registry, source, review: registry.view({ role: 'review' }) };
}

describe('a view of a role', () => {
  test('shows what the role may use and the search', async () => {
    const { review } = await createFiles();
    expect(review.list().map(({ name }) => name)).toEqual(['mcp__files__read_text', 'note', 'search_mcp_tools']);
    expect(review.get('mcp__files__write_text')).toBeUndefined();
    expect(textOf(await review.call('mcp__files__read_text'))).toBe('files ran read_text');
    expect(textOf(await review.call('note'))).toBe('noted');
  });

  test.each(['none', 'unknown', '', '__proto__'])('shows nothing to the role %j', async (role) => {
    const { registry } = await createFiles();
    const view = registry.view({ role });
    expect(view.list()).toEqual([]);
    expect(await view.search({ query: '*' })).toMatchObject({ total: 0, returned: 0, tools: [] });
    await expect(view.call('search_mcp_tools', { query: 'x' })).rejects.toMatchObject({ code: 'unknown-tool' });
  });

  test('a forbidden tool fails exactly as one that does not exist', async () => {
    const { registry, review } = await createFiles();
    const without = createRegistry({ roles });
    await without.attach(createListSource('files', [tool('read_text')])).ready;
    without.register({ name: 'note', description: 'Takes a note' }, () => 'noted');
    for (const name of ['mcp__files__write_text', 'admin', 'mcp__files__delete_all', 'write_text']) {
      const [forbidden, unknown] = await Promise.all(
        [review, without.view({ role: 'review' })].map((view) => view.call(name).catch((error) => error)),
      );
      expect({ ...forbidden, message: forbidden.message }).toEqual({ ...unknown, message: unknown.message });
      expect(forbidden.code).toBe('unknown-tool');
    }
    expect(registry.get('mcp__files__write_text')).toBeDefined();
  });

  test('passes its caller to a source, and no other that the options of the call name', async () => {
    const callers: unknown[] = [];
    const registry = createRegistry({ roles });
    await registry.attach({
      name: 'files',
      listTools: () => [tool('read_text')],
      callTool: async (_tool, _args, { caller }) => {
        callers.push(caller);
        return { content: [] };
      },
    }).ready;
    const views = [registry, registry.view({ role: 'review' }), registry.view({ role: 'review', principal: 'ann' })];
    const posing: object = { caller: { role: 'admin' } };
    for (const view of views) {
      await view.call('mcp__files__read_text');
      await expect(view.call('mcp__files__read_text', {}, posing)).rejects.toThrow('caller');
    }
    expect(callers).toEqual([undefined, { role: 'review' }, { role: 'review', principal: 'ann' }]);
  });

  test('the search that it calls finds only what it shows', async () => {
    const { registry, review } = await createFiles();
    const namesFrom = async (view: RegistryView) => {
      const { structuredContent } = await view.call('search_mcp_tools', { query: 'text$', useRegex: true });
      return (structuredContent as SearchResult).tools.map(({ name }) => name);
    };
    expect(await namesFrom(review)).toEqual(['mcp__files__read_text']);
    expect(await namesFrom(registry)).toEqual(['mcp__files__read_text', 'mcp__files__write_text']);
  });

  test('hidden tools do not affect scores', async () => {
    const { registry, review, source } = await createFiles();
    const before = await review.search({ query: 'read text' });
    const swap = new Promise((resolve) => registry.events.on('tools-changed', resolve));
    source.offer([tool('read_text'), tool('write_text'), tool('text_reader'), tool('text_text')]);
    await swap;
    expect(await review.search({ query: 'read text' })).toEqual(before);
  });

  test('is live, and emits only changes of visible tools', async () => {
    const { registry, review, source } = await createFiles();
    const listener = vi.fn();
    review.events.on('tools-changed', listener);
    const revision = review.revision;
    registry.register({ name: 'secret', description: '' }, () => '');
    expect(listener).not.toHaveBeenCalled();
    expect(review.revision).toBe(revision);
    const change = review.changes().next();
    source.offer([tool('read_text'), tool('read_bytes'), tool('write_bytes')]);
    expect((await change).value).toMatchObject({ added: ['mcp__files__read_bytes'], removed: [], changed: [] });
    expect(review.revision).toBeGreaterThan(revision);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  test('emits a change even if it was read before', async () => {
    const { registry, review } = await createFiles();
    const seen: string[] = [];
    const registration = registry.register({ name: 'x', description: '' }, () => '');
    registry.events.on('tools-changed', () => review.list());
    review.events.on('tools-changed', ({ added, removed }) => seen.push(...added, ...removed));
    registration[Symbol.dispose]();
    const other = createListSource('files.read_x', []);
    await registry.attach(other).ready;
    expect(seen).toEqual([]);
  });
});

describe('view()', () => {
  test('shows everything without a role, and is one object for each role', async () => {
    const { registry } = await createFiles();
    expect(registry.view().list()).toBe(registry.list());
    expect(registry.view({ role: 'review' })).toBe(registry.view({ role: 'review' }));
  });

  test.each([undefined, null, 1])('refuses the role %s rather than show everything', async (role) => {
    const { registry } = await createFiles();
    expect(() => registry.view({ role } as never)).toThrow(/role must be a text/);
  });
});

test('exactly the visible tools can be called, for any rules and tools', async () => {
  const serverName = fc.constantFrom('a', 'a.b', 'b', '__proto__', 'search_mcp_tools');
  const toolName = fc.constantFrom('x', 'b.x', 'read_x', 'read_y', 'constructor', 'search_mcp_tools');
  const nativeName = fc.constantFrom('x', 'a', 'toString', 'native');
  const pattern = fc.oneof(
    serverName,
    nativeName,
    fc.tuple(serverName, fc.oneof(toolName, fc.constantFrom('*', 'read_*', '*x', ''))).map((parts) => parts.join('.')),
  );
  const rule = fc.record({ role: fc.constantFrom('r', 's'), allowedTools: fc.array(pattern, { maxLength: 4 }) });
  const catalogue = fc.uniqueArray(fc.record({ name: serverName, tools: fc.uniqueArray(toolName) }), {
    selector: ({ name }) => name,
  });

  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { maxLength: 4 }),
      catalogue,
      fc.uniqueArray(nativeName),
      async (rules, servers, natives) => {
        const registry = createRegistry({ roles: rules });
        const isServer = (text: string) => servers.some(({ name }) => name === text);
        for (const { name, tools } of servers)
          await registry.attach(
            createListSource(
              name,
              tools.map((own) => tool(own)),
            ),
          ).ready;
        for (const name of natives) registry.register({ name, description: 'native' }, () => 'ran');

        for (const role of ['r', 's', 'unknown']) {
          const view = registry.view({ role });
          const own = rules.filter((each) => each.role === role);
          const expected = registry.list().filter(({ name, server, tool: ownName }) => {
            const isSearch = server === undefined && name === 'search_mcp_tools';
            const passes = (patterns: readonly string[]) =>
              isSearch
                ? patterns.length > 0
                : patterns.some((each) => matchesTool(each, { server, tool: ownName }, isServer));
            return own.length > 0 && own.every(({ allowedTools }) => passes(allowedTools));
          });
          const names = expected.map(({ name }) => name);
          expect(view.list()).toEqual(expected);
          const listed = await view.search({ query: '*', limit: 100 });
          expect([listed.total, listed.tools.map(({ name }) => name)]).toEqual([names.length, names]);
          const found = await view.search({ query: '.', useRegex: true, limit: 100 });
          expect(found.tools.map(({ name }) => name).toSorted()).toEqual(names);

          for (const { name } of registry.list()) {
            const outcome = await view.call(name, { query: 'x' }).then(
              () => 'ran',
              (error) => error.code,
            );
            expect(outcome).toBe(names.includes(name) ? 'ran' : 'unknown-tool');
            expect(view.get(name) !== undefined).toBe(names.includes(name));
          }
        }
        await registry.close();
      },
    ),
    { numRuns: 150 },
  );
});
