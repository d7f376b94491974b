import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createClientManager } from '@x/mcp-client-manager';
import { checkConfig } from '@x/mcp-config-schema';
import { createRegistry } from '@x/mcp-registry';
import { compileRole } from '@x/mcp-registry/roles';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterAll, expect } from 'vitest';
import { mcpx } from '../helpers/serving.js';
import { row } from './row.js';

afterAll(expectNoLeaks);

interface Manifest {
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const root = new URL('../../../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');
const manifestOf = (folder = '') => JSON.parse(textOf(`${folder}package.json`)) as Manifest;
const installedWith = (name: string) => Object.keys(manifestOf(`packages/${name}/`).dependencies ?? {});
const tools = manifestOf().devDependencies ?? {};

row(174, () => {
  expect(manifestOf().private).toBe(true);
  expect(textOf('pnpm-workspace.yaml')).toContain('packages/*');
  expect(Object.keys(tools)).toContain('typescript');
});

row(175, () => {
  expect(textOf('packages/mcp-client-manager/dist/THIRD-PARTY-LICENSES.txt')).toMatch(
    /^@modelcontextprotocol\/client 2\./m,
  );
  expect(manifestOf('packages/mcp-gateway/').peerDependencies).toHaveProperty(['@modelcontextprotocol/sdk']);
});

row(176, () => {
  expect(textOf('packages/mcp-config-schema/dist/THIRD-PARTY-LICENSES.txt')).toMatch(/^zod 4\./m);
});

row(177, () => expect(Object.keys(tools)).toContain('tsup'));

row(178, () => {
  expect(Object.keys(tools)).toContain('@changesets/cli');
  expect(existsSync(new URL('.changeset/config.json', root))).toBe(true);
});

row(179, () => expect(Object.keys(tools)).toContain('vitest'));

row(180, () => expect(Object.keys(tools)).toContain('typedoc'));

row(181, () => {
  const wanted = ['package.json', 'pnpm-workspace.yaml', 'packages', 'examples', '.changeset', 'tsconfig.base.json'];
  expect([...wanted, 'docs'].filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

row(182, async () => {
  await using registry = createRegistry();
  const attachment = registry.attach({
    name: 'clock',
    listTools: () => [{ name: 'now', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [{ type: 'text', text: 'noon' }] }),
  });
  expect((await registry.call('mcp__clock__now')).content).toMatchObject([{ text: 'noon' }]);
  attachment[Symbol.dispose]();
  expect(registry.list().map(({ name }) => name)).toEqual(['search_mcp_tools']);
});

row(183, async () => {
  await using registry = createRegistry();
  registry.register({ name: 'open', description: 'Opens a door' }, () => '');
  const { structuredContent } = await registry.call('search_mcp_tools', { query: 'door' });
  expect(structuredContent).toMatchObject({ tools: [{ name: 'open' }] });
});

row(184, () => {
  const mayUse = compileRole([{ role: 'review', allowedTools: ['git.log'] }], 'review');
  const pairs = [
    { server: 'git', tool: 'log' },
    { server: 'git', tool: 'push' },
  ];
  expect(pairs.filter((pair) => mayUse(pair).isAllowed)).toEqual([pairs[0]]);
});

row(185, async () => {
  await using manager = createClientManager({ servers: { echo: testServer('echo') } });
  await manager.start();
  expect(await manager.server('echo').checkHealth()).toBe(true);
});

row(186, () => {
  const { issues } = checkConfig({ text: 'mcp_servers: { git: { comand: x } }\n' });
  expect(issues).toMatchObject([{ code: 'unknown-key', didYouMean: 'command' }]);
});

row(187, () => {
  expect(installedWith('mcp-registry')).toEqual(['re2js']);
  expect(installedWith('mcp-config-schema')).toEqual([]);
  expect(installedWith('mcp-client-manager')).toEqual(['re2js']);
});

row(189, () => {
  expect(execFileSync(process.execPath, [mcpx, '--help'], { encoding: 'utf8' })).toContain('Usage: mcpx');
});

row(190, () => {
  expect(manifestOf().scripts?.['docs:build']).toContain('typedoc');
  expect(existsSync(new URL('typedoc.json', root))).toBe(true);
});
