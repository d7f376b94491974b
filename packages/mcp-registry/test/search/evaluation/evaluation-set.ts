import { readFileSync } from 'node:fs';
import { KeywordIndex } from '../../../src/search/index/keyword-index.js';
import { type SearchDocument, toSearchDocument } from '../../../src/search/index/search-document.js';
import type { EvaluationQuery, EvaluationTool, Search } from './figures.js';

export const TOOLS: readonly EvaluationTool[] = readLines('tools.jsonl');
export const QUERIES: readonly EvaluationQuery[] = readLines('queries.jsonl');

/** The tools as the registry would have them, with the key of the set for a public name. */
export function toDocument({
  server,
  name,
  description,
  inputSchema = { type: 'object' },
}: EvaluationTool): SearchDocument {
  return toSearchDocument({
    name: `${server}/${name}`,
    server,
    tool: name,
    state: 'running',
    inputSchema,
    ...(description === undefined ? {} : { description }),
  });
}

export function openKeywordSearch(tools: readonly EvaluationTool[]): Search {
  const index = new KeywordIndex();
  for (const tool of tools) index.add(toDocument(tool));
  return (query) => index.rank(query, { limit: 50 }).ranked.map(({ name }) => name);
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
