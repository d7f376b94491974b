import { readFile } from 'node:fs/promises';
import { createRegistry, type Registry } from '@x/mcp-registry';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, beforeAll, expect } from 'vitest';
import { project } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { connectStdio } from '../helpers/stdio-client.js';
import { row, sample } from './row.js';

let registry: Registry;

beforeAll(() => {
  registry = createRegistry();
  registry.register({ name: 'read_file', description: 'Reads a file from disk' }, () => '');
  registry.register(
    {
      name: 'history',
      description: 'Shows HISTORY',
      keywords: ['open'],
      annotations: { destructiveHint: true },
      inputSchema: { type: 'object', properties: { depth: { type: 'integer' } } },
    },
    () => '',
  );
});

afterAll(async () => {
  await registry.close();
  await expectNoLeaks();
});

const namesFor = async (query: string, useRegex = false) =>
  (await registry.search({ query, useRegex })).tools.map(({ name }) => name);

row(1, async () => {
  await using here = await project({ 'mcp_servers.yaml': 'mcp_servers: {}\n' });
  await using connection = await connectStdio(here.folder);
  const { tools } = await connection.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search_mcp_tools']);
});

row(2, async () => {
  const { structuredContent } = await registry.call('search_mcp_tools', { query: 'history' });
  expect(structuredContent).toMatchObject({ tools: [{ name: 'history' }] });
});

row(3, async () => {
  await using empty = createRegistry();
  expect(empty.list().map(({ name }) => name)).toEqual(['search_mcp_tools']);
});

row(4, async () => {
  expect(await namesFor('weather')).toEqual([]);
  const registered = registry.register({ name: 'weather', description: 'Weather' }, () => '');
  expect(await namesFor('weather')).toEqual(['weather']);
  registered[Symbol.dispose]();
  expect(await namesFor('weather')).toEqual([]);
});

row(5, async () => {
  const entry = registry.get('history');
  const { tools } = await registry.search({ query: 'history', detail: 'full' });
  expect(tools[0]).toMatchObject({
    name: 'history',
    description: entry?.description,
    keywords: entry?.keywords,
    annotations: entry?.annotations,
    inputSchema: entry?.inputSchema,
    state: entry?.state,
  });
});

row(6, async () => {
  expect(await registry.search({ query: '*', limit: 2 })).toMatchObject({ total: 3, returned: 2 });
});

row(7, async () => {
  expect(await registry.search({ query: '^open$', useRegex: true })).toMatchObject({ mode: 'regex', total: 1 });
});

row(8, async () => expect(await namesFor('^search', true)).toEqual(['search_mcp_tools']));

row(9, async () => expect(await namesFor('(?i)shows history', true)).toEqual(['history']));

row(10, async () => expect(await namesFor('^open$', true)).toEqual(['history']));

row(11, async () => {
  expect(await namesFor('OPEN')).toEqual(await namesFor('open'));
  expect(await namesFor('OPEN')).toContain('history');
});

row(12, async () => expect((await namesFor('disk file'))[0]).toBe('read_file'));

row(13, async () => {
  expect(await registry.search({ query: 'search_mcp_tools' })).toMatchObject({
    mode: 'name',
    tools: [{ name: 'search_mcp_tools' }],
  });
});

row(14, async () => {
  const refused = await registry.call('search_mcp_tools', { query: '(open', useRegex: true });
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid-pattern' } } });
  expect(await namesFor('open')).toContain('history');
});

row(15, async () => {
  registry.register({ name: 'long', description: `${'a'.repeat(1_000)}!` }, () => '');
  expect(await registry.search({ query: '^(a+)+$', useRegex: true })).toMatchObject({ mode: 'regex', total: 0 });
  await expect(registry.search({ query: '(?=x)', useRegex: true })).rejects.toMatchObject({ code: 'invalid-pattern' });
});

row(16, async () => {
  const [, , command = ''] = sample('live-registry/command.txt').trim().split(' ');
  expect(command).toBe('start');
  expect((await runMcpx(['serve', '--help'])).stdout).toContain('Usage: mcpx serve');
});

row(17, async () => {
  await using here = await project({});
  expect((await runMcpx(['serve', '--own-servers'], { cwd: here.folder })).exitCode).toBe(3);
});

row(19, async () => {
  const text = await readFile(new URL('../../../mcp-registry/package.json', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  expect(Object.keys(dependencies).filter((name) => name.startsWith('@'))).toEqual([]);
});

row(20, () => {
  const before = registry.list();
  using _added = registry.register({ name: 'extra', description: 'Extra' }, () => '');
  expect(registry.list()).not.toBe(before);
  expect(before.map(({ name }) => name)).not.toContain('extra');
});

row(24, async () => {
  const { tools } = await registry.search({ query: 'history', detail: 'full' });
  expect(tools[0]?.inputSchema).toMatchObject({ properties: { depth: { type: 'integer' } } });
});
