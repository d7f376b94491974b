import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildKeywordIndex, tokenizeTool } from '../../src/search/keyword-index.js';
import { rank } from '../../src/search/keyword-ranker.js';

function indexOf(...tools: readonly { tool: string; server?: string; description?: string; parameters?: string[] }[]) {
  const documents = tools.map(({ tool, server = 's', description = '', parameters = [] }) => ({
    name: tool,
    tool,
    server,
    title: '',
    description,
    keywords: [],
    parameters,
    parameterDescriptions: [],
  }));
  return buildKeywordIndex(documents.map(tokenizeTool));
}

const namesFor = (index: ReturnType<typeof indexOf>, query: string) => rank(index, query).map(({ name }) => name);

test.each([
  ['the name counts more than the description', 'backup', ['backup', 'other']],
  ['a name that is said whole counts more than a part of one', 'list backup', ['list_backup', 'list_backup_job_state']],
  ['another action than the one asked for counts less', 'delete item', ['delete_item', 'create_item']],
  ['a rare word counts more than a frequent one', 'item zebra', ['zebra', 'create_item']],
  ['a parameter counts too', 'cron', ['schedule']],
])('%s', (_, query, expected) => {
  const index = indexOf(
    { tool: 'other', description: 'Makes no backup' },
    { tool: 'create_item', description: 'Item for item' },
    { tool: 'list_backup_job_state' },
    { tool: 'delete_item', description: 'Item for item' },
    { tool: 'zebra' },
    { tool: 'schedule', parameters: ['cron'] },
    { tool: 'backup' },
    { tool: 'list_backup' },
  );
  const names = namesFor(index, query);
  expect(names.filter((name) => expected.includes(name))).toEqual(expected);
  expect(names[0]).toBe(expected[0]);
});

test('scores are positive and fall', () => {
  const word = fc.constantFrom('read', 'file', 'list', 'item', 'get', 'the');
  const names = fc.uniqueArray(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_')),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(names, fc.array(word, { minLength: 1 }), (tools, words) => {
      const index = indexOf(...tools.map((tool) => ({ tool })));
      const scores = rank(index, words.join(' ')).map(({ score }) => score);
      expect(scores.every((score) => score > 0)).toBe(true);
      expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    }),
  );
});

test('no tools answer nothing', () => {
  expect(rank(indexOf(), 'anything')).toEqual([]);
});
