import type { ToolView } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { nearTool } from '../../src/control/near-tool.js';

const tools = [
  ['docs', 'get-sum', true],
  ['docs', 'read-page', true],
  ['docs', 'read-pages', true],
  ['docs', 'remove_word', false],
  ['docs', 'both', true],
  ['more', 'both', true],
  ['more', 'find', undefined],
  ['more', 'ls', true],
] as const;

const views = tools.map(
  ([server, tool, readOnlyHint]): ToolView => ({
    name: `mcp__${server}__${tool}`,
    server,
    tool,
    inputSchema: { type: 'object' },
    state: 'running',
    ...(readOnlyHint !== undefined && { annotations: { readOnlyHint } }),
  }),
);

test.each([
  ['get_sum', 'get-sum'],
  ['getSum', 'get-sum'],
  ['GET-SUM', 'get-sum'],
  ['get-sun', 'get-sum'],
  ['gte-sum', 'get-sum'],
  ['read_page', 'read-page'],
  ['ls', 'ls'],
])('%s can only mean %s', (wanted, tool) => {
  expect(nearTool(wanted, views)?.tool).toBe(tool);
});

test.each([
  ['read-pge', 'two tools are near'],
  ['sum', 'a part of a name is no misspelling'],
  ['get-s', 'too many letters differ'],
  ['lx', 'short names have no misspellings'],
  ['remove-word', 'the tool is not read-only'],
  ['Find', 'the tool has no annotation'],
  ['Both', 'two servers have it'],
  ['zzz', 'nothing is near'],
  ['', 'there is no name'],
  ['x'.repeat(500), 'the name is too long'],
])('%s means no tool: %s', (wanted) => {
  expect(nearTool(wanted, views)).toBeUndefined();
});
