import { createListSource, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../../src/registry.js';
import type { SearchDocument } from '../../../src/search/index/search-document.js';
import type { SearchResult } from '../../../src/search/search-request.js';
import type { RegistryView } from '../../../src/views/view.js';
import { nextChange } from '../../helpers/next-event.js';

const QUERIES = ['read file', 'write', 'delete_note', 's.read', 'issue list of notes', 'fiel'];

/** What every search says, but for what differs from registry to registry. */
async function answersOf(view: RegistryView): Promise<readonly object[]> {
  const withoutTime = ({ revision: _, nextCursor: __, ...answer }: SearchResult) => answer;
  const answers: object[] = [];
  for (const query of QUERIES) answers.push(withoutTime(await view.search({ query, limit: 100 })));
  return answers;
}

const word = fc.constantFrom('read', 'write', 'delete', 'file', 'note', 'issue', 'list');
const anyTool = fc
  .record({ words: fc.array(word, { minLength: 1, maxLength: 3 }), description: fc.array(word, { maxLength: 5 }) })
  .map(({ words, description }) => tool(words.join('_'), { description: description.join(' ') }));
const anyTools = fc.uniqueArray(anyTool, { selector: ({ name }) => name, maxLength: 6 });
const roles = [{ role: 'reader', allowedTools: ['s.read*', 't'] }];

test('after any history of changes a search answers as that of a registry that never had another state', async () => {
  const step = fc.record({ server: fc.constantFrom('s', 't'), tools: anyTools, isSearched: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const registry = createRegistry({ roles });
      const sources = new Map(['s', 't'].map((name) => [name, createListSource(name)]));
      for (const source of sources.values()) await registry.attach(source).ready;
      const views = [registry, registry.view({ role: 'reader' })];
      for (const { server, tools, isSearched } of steps) {
        sources.get(server)?.offer(tools);
        await new Promise((resolve) => setImmediate(resolve));
        if (isSearched) for (const view of views) await answersOf(view);
      }

      const fresh = createRegistry({ roles });
      for (const source of sources.values()) await fresh.attach(source).ready;
      expect(await answersOf(registry)).toEqual(await answersOf(fresh));
      expect(await answersOf(registry.view({ role: 'reader' }))).toEqual(
        await answersOf(fresh.view({ role: 'reader' })),
      );
    }),
    { numRuns: 60, interruptAfterTimeLimit: 20_000 },
  );
});

describe('the documents of tools', () => {
  async function follow() {
    const heard: string[] = [];
    const note = (what: string, names: readonly string[]) => heard.push(...names.map((name) => `${what} ${name}`));
    const registry = createRegistry({
      rankers: [
        {
          name: 'listener',
          add: (documents: readonly SearchDocument[]) =>
            void note(
              '+',
              documents.map(({ name }) => name),
            ),
          remove: (names) => void note('-', names),
          rank: () => [],
        },
      ],
    });
    const source = createListSource('s', [tool('a'), tool('b'), tool('same')]);
    await registry.attach(source).ready;
    const changed = async (make: () => void) => {
      const change = nextChange(registry);
      make();
      await change;
    };
    const search = async () => {
      await registry.search({ query: 'anything' });
      return heard.splice(0);
    };
    return { registry, source, changed, search, heard };
  }

  test('are read with the first search, and not before', async () => {
    const { heard, search } = await follow();
    expect(heard).toEqual([]);
    expect(await search()).toEqual(['+ mcp__s__a', '+ mcp__s__b', '+ mcp__s__same', '+ search_mcp_tools']);
    expect(await search()).toEqual([]);
  });

  test('are read again only for the tools that changed, however many changes there were', async () => {
    const { source, changed, search } = await follow();
    await search();
    await changed(() => source.offer([tool('a'), tool('c'), tool('same')]));
    await changed(() => source.offer([tool('a', { description: 'other' }), tool('b'), tool('same')]));
    expect(await search()).toEqual(['+ mcp__s__a', '+ mcp__s__b']);
    await changed(() => source.offer([tool('b'), tool('same')]));
    expect(await search()).toEqual(['- mcp__s__a']);
  });

  test('stay the same when a server starts or stops', async () => {
    const { source, changed, search } = await follow();
    await search();
    await changed(() => {
      source.state = 'stopped';
      source.announce();
    });
    expect(await search()).toEqual([]);
  });
});
