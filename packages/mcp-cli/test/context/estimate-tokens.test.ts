import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { estimateTokens } from '../../src/context/estimate-tokens.js';

const data = new URL('../../../mcp-registry/test/search/evaluation/data/tools.jsonl', import.meta.url);
const tools = readFileSync(data, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { suite: string; name: string; description?: string; inputSchema?: object });

test.each(['livemcp', 'azure-a', 'metatool-a', 'distractor'])('the tokens of the tools of %s', (suite) => {
  const texts = tools
    .filter((tool) => tool.suite === suite)
    .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  const counts = texts.map((text) => ({ counted: countTokens(text), estimated: estimateTokens(text) }));
  const sum = (part: 'counted' | 'estimated') => counts.reduce((total, each) => total + each[part], 0);
  expect(Math.abs(sum('estimated') / sum('counted') - 1)).toBeLessThan(0.05);
  const errors = counts.map(({ counted, estimated }) => Math.abs(estimated / counted - 1)).sort((a, b) => a - b);
  expect(errors[errors.length >> 1]).toBeLessThan(0.05);
});

test('texts of any characters', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('\n\u0000\u{1f600}查')).toBeGreaterThan(0);
  expect(estimateTokens('{"'.repeat(1_000_000))).toBeGreaterThan(100_000);
});
