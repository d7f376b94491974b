import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { project, serversFile } from '../helpers/project.js';
import { startCommand } from '../helpers/running-command.js';
import { ioIn, startMcpx } from '../helpers/serving.js';
import { connectStdio, connectStdioProcess } from '../helpers/stdio-client.js';

afterEach(expectNoLeaks);

test.each(['legacy', '2026-07-28'] as const)(
  'the official client lists, searches and calls through mcpx serve (%s)',
  async (era) => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
    await using connection = await connectStdioProcess(here.folder, [], { era });
    const { client } = connection;

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['search_mcp_tools', 'mcp__files__echo']));

    const found = await client.callTool({ name: 'search_mcp_tools', arguments: { query: 'echo' } });
    expect(found.structuredContent).toMatchObject({ returned: 1, tools: [{ name: 'mcp__files__echo' }] });

    const echoed = await client.callTool({ name: 'mcp__files__echo', arguments: { text: 'through the registry' } });
    expect(echoed.content).toEqual([{ type: 'text', text: 'through the registry' }]);
  },
);

test('servers that start only by name are reported, with the command that serves them', async () => {
  const servers = serversFile([
    { name: 'files', server: 'echo' },
    { name: 'rests', server: 'echo', fields: { auto_start: false } },
  ]);
  await using here = await project({ 'mcp_servers.yaml': servers });
  await using all = startCommand(['serve', '--own-servers'], ioIn(here.folder));
  await all.seen(/^Not started, because they have no auto_start: rests\. Run "mcpx serve rests" to serve one\.$/m);
  await using named = startCommand(['serve', '--own-servers', 'rests'], ioIn(here.folder));
  await named.seen(/rests ready/);
  expect(named.stderr()).not.toContain('Not started');
});

test('an eager server starts regardless of auto_start; a disabled one neither starts nor needs consent', async () => {
  const servers = serversFile([
    { name: 'eager', server: 'echo', fields: { auto_start: false, eager: true } },
    { name: 'off', server: 'echo', fields: { auto_start: true, disabled: true } },
  ]);
  await using here = await project({ 'mcp_servers.yaml': servers });
  await using all = startCommand(['serve', '--own-servers', '--verbose'], ioIn(here.folder));
  await all.seen(/eager ready/);
  expect(all.stderr()).toMatch(/^Not served, because they are disabled: off\.$/m);
  expect(all.stderr()).not.toContain('Not started');
});

test('a role sees only its own tools, and a forbidden call fails like an unknown one', async () => {
  const tools = 'tools: { app: { role_restrictions: { review: { allowed_tools: [files.echo] } } } }';
  const servers = serversFile([{ name: 'files', server: 'echo' }]);
  await using here = await project({ 'mcp_servers.yaml': servers, 'tools.yaml': tools });
  await using connection = await connectStdio(here.folder, ['--role', 'review']);
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

test('notifies the client of tools that come and go', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'growing', server: 'changes-tools' }]) });
  await using connection = await connectStdio(here.folder);
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

describe('the end', () => {
  const files = { 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) };

  test('of stdin ends the gateway with exit code 0 and no server left', async () => {
    await using here = await project(files);
    await using serving = startMcpx(here.folder, ['serve', '--own-servers']);
    await serving.seen(/files ready/);
    serving.child.stdin?.end();
    expect(await serving.ended()).toMatchObject({ exitCode: exitCodes.ok, stdout: '' });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with exit code 0 and no server left', async (signal) => {
    await using here = await project(files);
    await using serving = startMcpx(here.folder, ['serve', '--own-servers']);
    await serving.seen(/files ready/);
    serving.child.kill(signal);
    expect(await serving.ended()).toMatchObject({ exitCode: exitCodes.ok, stdout: '' });
  });
});
