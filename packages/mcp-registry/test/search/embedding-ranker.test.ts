import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { createEmbeddingRanker, type Embed } from '../fixtures/embedding-ranker.js';
import { createListSource, tool } from '../helpers/list-source.js';

const MEANINGS = [/feline|cat|purr/i, /weather|rain|forecast/i, /pay|invoice|money/i];

/** Stands for a model: knows three meanings, whatever the words are. */
const embed: Embed = async (texts) => texts.map((text) => MEANINGS.map((meaning) => (meaning.test(text) ? 1 : 0)));

const tools = [
  tool('cat_facts', { description: 'Something about cats' }),
  tool('forecast', { description: 'Says whether it will rain' }),
  tool('invoice', { description: 'Writes an invoice' }),
];

test('a ranker by embeddings finds what shares no word with the query, and nothing for what is far from all', async () => {
  const registry = createRegistry({ rankers: [createEmbeddingRanker(embed)] });
  const source = createListSource('s', tools);
  await registry.attach(source).ready;
  const find = async (query: string) => (await registry.search({ query })).tools.map((hit) => hit.tool);
  expect(await find('feline')).toEqual(['cat_facts']);
  expect(await find('how to pay somebody')).toContain('invoice');
  expect(await find('xylophone')).toEqual([]);
  source.offer(tools.slice(1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await find('feline')).toEqual([]);
});

test('the guide shows this ranker as it is', async () => {
  const [code, guide] = await Promise.all([
    readFile(new URL('../fixtures/embedding-ranker.ts', import.meta.url), 'utf8'),
    readFile(new URL('../../../../docs/search.md', import.meta.url), 'utf8'),
  ]);
  expect(guide).toContain(code.slice(code.indexOf('/** Turns texts')).trim());
});
