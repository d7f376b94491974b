import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { project, serversFile } from '../helpers/project.js';

afterEach(expectNoLeaks);

const mcpx = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));
const eras = { legacy: 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;

async function connect(cwd: string, { era, args = [] }: { era: keyof typeof eras; args?: readonly string[] }) {
  const client = new Client({ name: 'official', version: '1.0.0' }, { versionNegotiation: { mode: eras[era] } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mcpx, 'serve', ...args],
    cwd,
    stderr: 'pipe',
  });
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

test.each(['legacy', '2026-07-28'] as const)(
  'the official client lists, searches and calls through mcpx serve (%s)',
  async (era) => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
    await using connection = await connect(here.folder, { era });
    const { client } = connection;

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['search_mcp_tools', 'mcp__files__echo']));

    const found = await client.callTool({ name: 'search_mcp_tools', arguments: { query: 'echo' } });
    expect(found.structuredContent).toMatchObject({ mode: 'name', tools: [{ name: 'mcp__files__echo' }] });

    const echoed = await client.callTool({ name: 'mcp__files__echo', arguments: { text: 'through the registry' } });
    expect(echoed.content).toEqual([{ type: 'text', text: 'through the registry' }]);
  },
);

test('a role sees only its own tools, and a forbidden call fails like an unknown one', async () => {
  const tools = 'tools: { app: { role_restrictions: { review: { allowed_tools: [files.echo] } } } }';
  const servers = serversFile([{ name: 'files', server: 'echo' }]);
  await using here = await project({ 'mcp_servers.yaml': servers, 'tools.yaml': tools });
  await using connection = await connect(here.folder, { era: 'legacy', args: ['--role', 'review'] });
  const { client } = connection;

  const listed = await client.listTools();
  expect(listed.tools.map(({ name }) => name).sort()).toEqual(['mcp__files__echo', 'search_mcp_tools']);
  const errorOf = (name: string): Promise<string> =>
    client.callTool({ name, arguments: {} }).then(
      () => 'no error',
      (error: Error) => error.message.replaceAll(name, 'X'),
    );
  expect(await errorOf('mcp__files__pid')).toBe(await errorOf('mcp__files__pod'));
});

test('the client hears of tools that come and go', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'growing', server: 'changes-tools' }]) });
  await using connection = await connect(here.folder, { era: 'legacy' });
  const { client } = connection;
  const before = await client.listTools();
  const changed = new Promise<void>((resolve) =>
    client.setNotificationHandler('notifications/tools/list_changed', () => resolve()),
  );
  await client.callTool({ name: 'mcp__growing__grow', arguments: {} });
  await changed;
  const after = await client.listTools();
  expect(after.tools).toHaveLength(before.tools.length + 1);
});

test('end of stdin ends it with exit code 0 and no server left', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
  const child = spawn(process.execPath, [mcpx, 'serve'], { cwd: here.folder, stdio: ['pipe', 'ignore', 'pipe'] });
  const ready = new Promise<void>((resolve) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('files ready')) resolve();
    });
  });
  await ready;
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with exit code 130 and no server left', async (signal) => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
  const child = spawn(process.execPath, [mcpx, 'serve'], { cwd: here.folder, stdio: ['pipe', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    const wasReady = text.includes('files ready');
    text += chunk.toString();
    if (!wasReady && text.includes('files ready')) child.kill(signal);
  });
  expect(await once(child, 'exit')).toEqual([130, null]);
});
