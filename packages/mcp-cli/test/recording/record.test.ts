// biome-ignore-all lint/suspicious/noTemplateCurlyInString: headers name variables
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expectNoLeaks, startHttpEcho, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { project, type ServerEntry, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { homeIn, mcpx, startMcpx } from '../helpers/serving.js';

afterEach(expectNoLeaks);

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

interface Session extends AsyncDisposable {
  readonly client: Client;
  /** Messages of the forms that were answered. */
  readonly forms: string[];
}

/** An official client, whose user accepts every form with the name Ann. */
async function connect(cwd: string, words: readonly string[], env: Record<string, string> = {}): Promise<Session> {
  const client = new Client(
    { name: 'official', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'legacy' } },
  );
  const forms: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    forms.push(params.message);
    return { action: 'accept', content: { name: 'Ann' } };
  });
  const variables = { ...getDefaultEnvironment(), ...homeIn(cwd), MCPX_TRUST: '1', ...env };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [mcpx, ...words],
      cwd,
      env: variables,
      stderr: 'pipe',
    }),
  );
  return { client, forms, [Symbol.asyncDispose]: () => client.close() };
}

async function stage(servers: readonly ServerEntry[] = []) {
  const here = await project({ 'mcp_servers.yaml': serversFile(servers) });
  return {
    ...here,
    file: join(here.folder, 'traffic.jsonl'),
    [Symbol.asyncDispose]: async () => {
      await using down = startMcpx(here.folder, ['down', '--now']);
      await down.ended();
      await here[Symbol.asyncDispose]();
    },
  };
}

const sum = { name: 'get-sum', arguments: { a: 2, b: 3 } };
const form = { name: 'trigger-elicitation-request' };

async function use({ client, forms }: Session) {
  const { tools } = await client.listTools();
  return {
    tools: tools.map(({ name }) => name),
    sum: await client.callTool(sum),
    form: await client.callTool(form),
    forms,
  };
}

test('a recorded server answers the same, with its own requests to the client', async () => {
  await using here = await stage();
  const outcomes: unknown[] = [];
  for (const words of [
    ['record', here.file, '--', process.execPath, everything],
    ['replay', here.file],
  ]) {
    await using session = await connect(here.folder, words);
    outcomes.push(await use(session));
  }
  const [recorded, replayed] = outcomes;
  expect(recorded).toMatchObject({ forms: ['Please provide inputs for the following fields:'] });
  expect(replayed).toEqual(recorded);
  if (process.platform !== 'win32') expect((await stat(here.file)).mode & 0o777).toBe(0o600);
});

test('a request that was not recorded gets an error that says what the file has', async () => {
  await using here = await stage();
  {
    await using session = await connect(here.folder, ['record', here.file, '--', process.execPath, everything]);
    await session.client.callTool(sum);
  }
  await using session = await connect(here.folder, ['replay', here.file]);
  await expect(session.client.callTool({ ...sum, arguments: { a: 1, b: 1 } })).rejects.toThrow(
    'The recording has no "tools/call" with {"name":"get-sum","arguments":{"a":1,"b":1}}. It has {"name":"get-sum","arguments":{"a":2,"b":3}}',
  );
  await expect(session.client.listPrompts()).rejects.toThrow(
    'The recording has no "prompts/list". It has initialize, tools/call',
  );
});

test('a server of the config is recorded through its daemon under its own names, without secrets', async () => {
  await using here = await stage([{ name: 'echo', server: 'echo' }]);
  const secret = 'value-of-a-variable-42';
  const text = `${secret} and ghp_${'a1B2'.repeat(9)}`;
  {
    await using session = await connect(here.folder, ['record', here.file, '--', 'echo'], { SOME_API_KEY: secret });
    const { content } = await session.client.callTool({ name: 'echo', arguments: { text } });
    expect(content).toEqual([{ type: 'text', text }]); // the client gets everything
  }
  const file = await readFile(here.file, 'utf8');
  expect(file).toContain('"text":"*** and ***"');
  expect(file).not.toContain(secret);
  expect(file).not.toContain('ghp_');
  await using session = await connect(here.folder, ['replay', here.file]);
  const { content } = await session.client.callTool({ name: 'echo', arguments: { text: '*** and ***' } });
  expect(content).toEqual([{ type: 'text', text: '*** and ***' }]);
});

test('one word may be a whole command, as with mcpx call', async () => {
  await using here = await stage();
  const words = ['record', here.file, `"${process.execPath}" "${everything}"`];
  {
    await using session = await connect(here.folder, words);
    await session.client.callTool(sum);
  }
  await using session = await connect(here.folder, ['replay', here.file]);
  expect(session.client.getServerVersion()).toMatchObject({ name: 'mcp-servers/everything' });
  expect((await session.client.callTool(sum)).content).toEqual([{ type: 'text', text: 'The sum of 2 and 3 is 5.' }]);
});

test('a server at a URL is recorded under its own names, without the secret in its header', async () => {
  await using here = await stage();
  await using web = await startHttpEcho();
  const secret = 'value-of-a-header-42';
  const header = ['--header', 'X-Test: ${SOME_TOKEN}'];
  const call = { name: 'header', arguments: { name: 'x-test' } };
  const contents: unknown[] = [];
  for (const words of [
    ['record', here.file, web.url, ...header],
    ['replay', here.file],
  ]) {
    await using session = await connect(here.folder, words, { SOME_TOKEN: secret });
    expect(session.client.getServerVersion()).toMatchObject({ name: 'http-echo' });
    contents.push((await session.client.callTool(call)).content);
  }
  expect(contents).toEqual([[{ type: 'text', text: secret }], [{ type: 'text', text: '***' }]]);
  expect(await readFile(here.file, 'utf8')).not.toContain(secret);
});

test.each([
  ['http://127.0.0.1:1/mcp', [], exitCodes.startFailed, 'refused the connection at http://127.0.0.1:1'],
  ['http://127.0.0.1:1/mcp', [], exitCodes.startFailed, '\nCheck its command, or its URL with the path.\n'],
  ['ftp://127.0.0.1/mcp', [], exitCodes.usage, 'is not an http:// or https:// URL'],
  ['http://127.0.0.1:1/mcp', ['--config', '.'], exitCodes.usage, '--config is for servers of a config'],
  ['echo', ['--header', 'A: b'], exitCodes.usage, '--header is for a server at a URL'],
])('mcpx record of %j %j ends with %i', async (word, options, code, message) => {
  await using here = await stage([{ name: 'echo', server: 'echo' }]);
  await using recording = startMcpx(here.folder, ['record', here.file, word, ...options]);
  const { exitCode, stderr } = await recording.ended();
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
  await expect(stat(here.file)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('mcpx serve is recorded as any other command', async () => {
  await using here = await stage([{ name: 'echo', server: 'echo' }]);
  const call = { name: 'mcp__echo__echo', arguments: { text: 'hello' } };
  {
    await using session = await connect(here.folder, ['record', here.file, '--', process.execPath, mcpx, 'serve']);
    await session.client.callTool(call);
  }
  await using session = await connect(here.folder, ['replay', here.file]);
  expect((await session.client.callTool(call)).content).toEqual([{ type: 'text', text: 'hello' }]);
});

test('a file is never replaced, and what is no recording is refused with its line', async () => {
  await using here = await stage();
  await writeFile(here.file, 'mine');
  const { command, args } = testServer('echo');
  const again = await runMcpx(['record', here.file, '--', command, ...args], { cwd: here.folder });
  expect([again.exitCode, again.stderr]).toEqual([exitCodes.usage, expect.stringContaining('exists already')]);
  expect(await readFile(here.file, 'utf8')).toBe('mine');
  const wrong = await runMcpx(['replay', here.file], { cwd: here.folder });
  expect([wrong.exitCode, wrong.stderr]).toEqual([exitCodes.usage, expect.stringContaining('Line 1 must be')]);
  const missing = await runMcpx(['replay', 'none.jsonl'], { cwd: here.folder });
  expect([missing.exitCode, missing.stderr]).toEqual([exitCodes.usage, expect.stringContaining('ENOENT')]);
});

test('a program that cannot be started, or fails, is reported, and leaves no file without messages', async () => {
  await using here = await stage();
  await using missing = startMcpx(here.folder, ['record', 'a.jsonl', '--', 'no-such-program']);
  const none = await missing.ended();
  expect([none.exitCode, none.stderr]).toEqual([
    exitCodes.startFailed,
    expect.stringContaining('"no-such-program" cannot be started: ENOENT'),
  ]);
  await using failing = startMcpx(here.folder, ['record', 'a.jsonl', '--', process.execPath, '-e', 'process.exit(3)']);
  const { exitCode, stderr } = await failing.ended();
  expect([exitCode, stderr]).toEqual([exitCodes.failed, expect.stringContaining('ended with 3')]);
});
