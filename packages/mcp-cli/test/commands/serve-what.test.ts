import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { startCommand } from '../helpers/running-command.js';
import { ioIn } from '../helpers/serving.js';
import { connectStdio } from '../helpers/stdio-client.js';

afterEach(expectNoLeaks);

const two = serversFile([
  { name: 'left', server: 'resources-and-prompts' },
  { name: 'right', server: 'resources-and-prompts' },
]);
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).sort();

test('serves everything of every server over stdio', async () => {
  await using here = await project({ 'mcp_servers.yaml': two });
  await using connection = await connectStdio(here.folder);
  const { client } = connection;
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
    'mcp+left:test://a',
    'mcp+left:test://b',
    'mcp+right:test://a',
    'mcp+right:test://b',
  ]);
  expect(names((await client.listPrompts()).prompts)).toEqual(['mcp__left__greet', 'mcp__right__greet']);
  const { messages } = await client.getPrompt({ name: 'mcp__right__greet', arguments: { who: 'you' } });
  expect(messages).toMatchObject([{ content: { text: 'Hello you' } }]);
  const completed = await client.complete({
    ref: { type: 'ref/prompt', name: 'mcp__left__greet' },
    argument: { name: 'who', value: 'me' },
  });
  expect(completed.completion.values).toEqual(['me!']);
});

test('sends a client the instructions of each server', async () => {
  await using here = await project({ 'mcp_servers.yaml': two });
  const instructions = async () => {
    await using connection = await connectStdio(here.folder);
    await connection.client.listTools();
    return connection.client.getInstructions();
  };
  await instructions(); // the servers are known from then on
  expect(await instructions()).toMatch(/"left":\n> Read before you write\.\n\n"right":\n> Read before you write\.$/);
});

test('has options for the length of instructions, and for hosts that show models none', async () => {
  await using here = await project({ 'mcp_servers.yaml': two });
  const sent = async (...args: readonly string[]) => {
    await using connection = await connectStdio(here.folder, args);
    const { tools } = await connection.client.listTools();
    const search = tools.find(({ name }) => name === 'search_mcp_tools')?.description;
    return { own: connection.client.getInstructions() ?? '', search: search ?? '' };
  };
  await sent(); // the servers are known from then on
  const told = await sent('--mode', 'search', '--instructions-in-search');
  expect(told.search).toContain('Read before you write.');
  const none = await sent('--mode', 'search', '--max-instruction-characters', '0');
  expect(`${none.own}${none.search}`).not.toContain('Read before you write.');
});

describe('named servers', () => {
  test('are the only ones served', async () => {
    await using here = await project({ 'mcp_servers.yaml': two });
    await using connection = await connectStdio(here.folder, ['right']);
    const { tools } = await connection.client.listTools();
    expect(names(tools)).toContain('mcp__right__echo');
    expect(names(tools).filter((name) => name.startsWith('mcp__left__'))).toEqual([]);
    expect((await connection.client.listResources()).resources).toHaveLength(2);
  });

  test('are started regardless of auto_start', async () => {
    const manual = serversFile([{ name: 'manual', server: 'echo', fields: { auto_start: false } }]);
    await using here = await project({ 'mcp_servers.yaml': manual });
    await using connection = await connectStdio(here.folder, ['manual']);
    const echoed = await connection.client.callTool({ name: 'mcp__manual__echo', arguments: { text: 'here' } });
    expect(echoed.content).toEqual([{ type: 'text', text: 'here' }]);
  });

  test('need no secrets of other servers', async () => {
    const file = serversFile([
      { name: 'files', server: 'echo' },
      { name: 'locked', server: 'echo', fields: { env: { TOKEN: { secret_ref: 'env:NOT_SET_ANYWHERE' } } } },
    ]);
    await using here = await project({ 'mcp_servers.yaml': file });
    await using connection = await connectStdio(here.folder, ['files']);
    expect(names((await connection.client.listTools()).tools)).toContain('mcp__files__echo');
  });
});

describe('--mode', () => {
  const called = { name: 'mcp__files__echo', arguments: { text: 'hi' } };
  const answer = [{ type: 'text', text: 'hi' }];

  test.each([
    ['--mode', 'full'],
    ['--mode', 'auto'],
    ['--mode', 'auto', '--auto-above', '9'],
  ])('%s %s %s %s lists every tool', async (...args) => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
    await using connection = await connectStdio(
      here.folder,
      args.filter((arg) => arg !== undefined),
    );
    const { tools } = await connection.client.listTools();
    expect(names(tools)).toHaveLength(9);
    expect(names(tools)).toEqual(expect.arrayContaining(['mcp__files__echo', 'search_mcp_tools']));
    expect((await connection.client.callTool(called)).content).toEqual(answer);
  });

  test.each([
    ['--mode', 'search'],
    ['--mode', 'auto', '--auto-above', '8'],
  ])('%s %s %s %s lists a search and a call, through which every tool is reached', async (...args) => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
    await using connection = await connectStdio(
      here.folder,
      args.filter((arg) => arg !== undefined),
    );
    const { tools } = await connection.client.listTools();
    expect(names(tools)).toEqual(['call_mcp_tool', 'search_mcp_tools']);
    const result = await connection.client.callTool({ name: 'call_mcp_tool', arguments: called });
    expect(result.content).toEqual(answer);
  });
});

test('--max-result-tokens cuts a result of 300 kB, and serves the rest', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'big', server: 'huge-result' }]) });
  await using connection = await connectStdio(here.folder, ['--max-result-tokens', '1000']);
  const { client } = connection;
  const result = await client.callTool({ name: 'mcp__big__big', arguments: { bytes: 300_000 } });
  const text = JSON.stringify(result.content);
  expect(text.length).toBeLessThan(5_000);
  const uri = /mcp\+big:mcp-result:\/\/\w+/.exec(text)?.[0] ?? '';
  expect((await client.readResource({ uri })).contents).toMatchObject([{ text: 'x'.repeat(300_000) }]);
  const id = uri.replace(/.*\//, '');
  const page = await client.callTool({ name: 'read_mcp_result', arguments: { id, offset: 299_900 } });
  expect(page.content).toMatchObject([
    { text: 'x'.repeat(100) },
    { text: expect.stringContaining('This is the end.') },
  ]);
});

test('--page-size limits one page of a list', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
  await using connection = await connectStdio(here.folder, ['--page-size', '2']);
  const first = await connection.client.request({ method: 'tools/list', params: {} });
  expect(first.tools).toHaveLength(2);
  expect(first.nextCursor).toEqual(expect.any(String));
});

describe('--names as-is', () => {
  test('serves one server as itself', async () => {
    await using here = await project({ 'mcp_servers.yaml': two });
    await using connection = await connectStdio(here.folder, ['left', '--names', 'as-is']);
    const { client } = connection;
    expect(client.getServerVersion()).toMatchObject({ name: 'resources-and-prompts', version: '1.0.0' });
    expect(client.getInstructions()).toBe('Read before you write.');
    expect(names((await client.listTools()).tools)).not.toContain('search_mcp_tools');
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['test://a', 'test://b']);
    expect((await client.callTool({ name: 'echo', arguments: { text: 'plain' } })).content).toMatchObject([
      { text: 'plain' },
    ]);
  });

  test('refuses names that several servers use, with all of them', async () => {
    await using here = await project({ 'mcp_servers.yaml': two });
    const args = ['serve', '--own-servers', '--names', 'as-is'];
    await using serving = startCommand(args, ioIn(here.folder));
    const exitCode = await serving.ended;
    const stderr = serving.stderr();
    expect(exitCode).toBe(exitCodes.usage);
    expect(serving.stdout.read()).toBeNull();
    expect(stderr).toMatch(/error: Unprefixed names cannot be served: \d+ names belong to several servers\./);
    expect(stderr).toContain('  tool echo: left, right\n');
    expect(stderr).toContain('  prompt greet: left, right\n');
    expect(stderr).toContain('  resource test://a: left, right\n');
    expect(stderr).toContain('mcpx serve <server…> --names as-is');
  });

  test('is refused over HTTP in the same way, and the port is free again', async () => {
    await using here = await project({ 'mcp_servers.yaml': two });
    const args = ['serve', '--own-servers', '--http', '--port', '0', '--no-token', '--names', 'as-is'];
    const { exitCode, stderr } = await runMcpx(args, { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain('  tool echo: left, right\n');
    expect(stderr).not.toContain('Serving');
  });
});

describe('limits', () => {
  test.each([
    [['--limit-role', 'review=2/h']],
    [['--limit-role', 'review=2/h', '--role', 'build']],
    [['--limit-role', 'review=2/h', '--http', '--no-token']],
    [['--limit-role', 'review=2/h', '--http', '--token-file', 'token']],
  ])('%j applies to no caller and is wrong usage', async (args) => {
    const { exitCode, stderr } = await runMcpx(['serve', '--own-servers', ...args]);
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain('--limit-role review has no effect: without --role review no client has that role.\n');
  });

  test.each([
    ['--limit-server', 'files=2/h', []],
    ['--limit-role', 'review=2/h', ['--role', 'review']],
  ])('%s %s lets so many requests through, and no more', async (flag, limit, more) => {
    const tools = 'tools: { app: { role_restrictions: { review: { allowed_tools: [files.echo] } } } }';
    const servers = serversFile([{ name: 'files', server: 'echo' }]);
    await using here = await project({ 'mcp_servers.yaml': servers, 'tools.yaml': tools });
    await using connection = await connectStdio(here.folder, [flag, limit, ...more]);
    const call = () => connection.client.callTool({ name: 'mcp__files__echo', arguments: { text: 'hi' } });
    await call();
    await call();
    await expect(call()).rejects.toMatchObject({ data: { reason: 'rate-limited', retryAfterMs: expect.any(Number) } });
  });

  test.each([
    ['--limit-server', 'flies=2/h', exitCodes.notFound, 'No server is named "flies"', []],
    ['--limit-role', 'nobody=2/h', exitCodes.usage, 'No role is named "nobody"', ['--role', 'nobody']],
  ])('%s %s names one that there is not', async (flag, limit, code, reason, more) => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
    const { exitCode, stderr } = await runMcpx(['serve', '--own-servers', flag, limit, ...more], { cwd: here.folder });
    expect(exitCode).toBe(code);
    expect(stderr).toContain(reason);
  });
});

describe('--code', () => {
  test('also runs programs of the client', async () => {
    await using here = await project({ 'mcp_servers.yaml': two });
    await using connection = await connectStdio(here.folder, ['--mode', 'search', '--code']);
    const { client } = connection;
    expect(names((await client.listTools()).tools)).toEqual(['call_mcp_tool', 'execute_mcp_code', 'search_mcp_tools']);
    const code = `const both = await Promise.all(['left', 'right'].map((name) => tools[\`mcp__\${name}__echo\`]({ text: name })));
return both.join(' and ')`;
    const { content } = await client.callTool({ name: 'execute_mcp_code', arguments: { code } });
    expect(content).toEqual([{ type: 'text', text: 'left and right' }]);
  });

  test('requires --mode search', async () => {
    await using here = await project({ 'mcp_servers.yaml': two });
    const { exitCode, stderr } = await runMcpx(['serve', '--own-servers', '--code'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain('--code requires --mode search.');
  });
});
