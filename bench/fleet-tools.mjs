import { readFileSync } from 'node:fs';
import { catalogOf } from './catalog.mjs';

const data = new URL('../packages/mcp-registry/test/search/evaluation/data/', import.meta.url);
const readLines = (file) =>
  readFileSync(new URL(file, data), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** What people ask public tools for, and what they are named in it. */
export const queries = readLines('queries.jsonl').map(({ query }) => query);

/** Definitions of public tools of a usual length: 600 bytes on average. */
const usual = readLines('tools.jsonl')
  .map(({ name, description, inputSchema = { type: 'object' } }) => ({ name, description, inputSchema }))
  .filter((tool) => {
    const { length } = JSON.stringify(tool);
    return length >= 300 && length <= 2_000;
  });

/** So many definitions, no two of them the same. Always the same ones. */
export function definitions(count) {
  const unlike = new Map(catalogOf(usual, count * 2).map(({ server: _, ...tool }) => [tool.name, tool]));
  return Array.from(unlike.values()).slice(0, count);
}

/** A source of the fleet that only tells what it has. */
export function quietSource(name, tools) {
  return {
    name,
    listTools: () => tools,
    callTool: async () => ({ content: [] }),
  };
}
