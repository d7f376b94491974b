import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { connectHttp } from '../helpers/http-client.js';
import { clientOn, serveOn } from '../helpers/served-client.js';
import { until } from '../helpers/until.js';

const bytes = 300_000;
const tokens = ['alice', 'bob'].map((id) => ({ token: `${id}s-own-token-of-http`, id, role: 'all' }));

let stage: DaemonStage;
beforeAll(async () => {
  stage = await daemonStage([
    { name: 'big', server: 'huge-result' },
    { name: 'echo', server: 'echo' },
  ]);
  const role_restrictions = { all: { allowed_tools: ['big'] } };
  await writeFile(join(stage.folder, 'tools.yaml'), JSON.stringify({ tools: { app: { role_restrictions } } }));
  await writeFile(join(stage.folder, 'tokens.yaml'), JSON.stringify({ tokens }), { mode: 0o600 });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await expectNoLeaks();
});

type Clients = Pick<Client, 'callTool' | 'listTools' | 'readResource'>;

const namesOf = async (client: Clients) => (await client.listTools()).tools.map(({ name }) => name);
const textOf = (content: unknown) => (content as readonly { readonly text?: string }[])[0]?.text ?? '';

/** The text of a long result as its caller gets it, and the way to the rest. */
async function callBig(client: Clients) {
  const { content } = await client.callTool({ name: 'mcp__big__big', arguments: { bytes } });
  const text = JSON.stringify(content);
  const uri = /mcp\+big:mcp-result:\/\/\w+/.exec(text)?.[0] ?? '';
  return { length: text.length, uri, id: uri.replace(/.*\//, '') };
}

async function readAll(client: Clients, id: string): Promise<string> {
  let text = '';
  for (;;) {
    const { content } = await client.callTool({ name: 'read_mcp_result', arguments: { id, offset: text.length } });
    text += textOf(content);
    if (JSON.stringify(content).includes('This is the end.')) return text;
  }
}

/** What a client gets that asks for a result of another. */
async function tryToRead(client: Clients, { id, uri }: { readonly id: string; readonly uri: string }) {
  const page = await client.callTool({ name: 'read_mcp_result', arguments: { id } });
  const resource = await client.readResource({ uri }).catch((error: unknown) => error);
  return { isError: page.isError, text: textOf(page.content), resource };
}

describe.each(['legacy', { pin: '2026-07-28' }] as const)('an attached client with a limit (%j)', (mode) => {
  const options = { versionNegotiation: { mode } };

  test('gets a preview within it and reads the rest; clients without one get the whole and no tool for it', async () => {
    await using limited = await clientOn(stage, ['--max-result-tokens', '1000'], options);
    await using free = await clientOn(stage, [], options);
    const { client } = limited;
    const { id, uri, length } = await callBig(client);
    expect(length).toBeLessThan(5_000);
    expect(await readAll(client, id)).toBe('x'.repeat(bytes));
    expect((await client.readResource({ uri })).contents).toMatchObject([{ text: 'x'.repeat(bytes) }]);
    expect((await callBig(free.client)).length).toBeGreaterThan(bytes);
    expect(await namesOf(client)).toContain('read_mcp_result');
    expect(await namesOf(free.client)).not.toContain('read_mcp_result');
    await expect(free.client.callTool({ name: 'read_mcp_result', arguments: { id } })).rejects.toThrow();
  });

  test('has its own limit, and reads no result of another client with one', async () => {
    await using one = await clientOn(stage, ['--max-result-tokens', '500'], options);
    await using other = await clientOn(stage, ['--max-result-tokens', '4000'], options);
    const result = await callBig(one.client);
    expect((await callBig(other.client)).length).toBeGreaterThan(result.length);
    expect(await tryToRead(other.client, result)).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is no result'),
      resource: expect.any(Error),
    });
    expect(await readAll(one.client, result.id)).toBe('x'.repeat(bytes));
  });

  test('has the tool with a role, with named servers and with the search alone', async () => {
    const limit = ['--max-result-tokens', '1000'];
    await using restricted = await clientOn(stage, ['big', '--role', 'all', ...limit], options);
    const { id } = await callBig(restricted.client);
    expect(await readAll(restricted.client, id)).toBe('x'.repeat(bytes));
    await using searching = await clientOn(stage, ['--mode', 'search', ...limit], options);
    expect(await namesOf(searching.client)).toEqual(['call_mcp_tool', 'read_mcp_result', 'search_mcp_tools']);
  });
});

test('over HTTP each caller reads its own results', async () => {
  const command = serveOn(stage, [
    ...['--http', '--port', '0', '--tokens-file', 'tokens.yaml'],
    ...['--max-result-tokens', '1000'],
  ]);
  const [, url = ''] = await until(() => /Serving \d servers at (\S+)\n/.exec(command.stderr()) ?? undefined);
  for (const generation of ['1.x', '2.x of 2026-07-28'] as const) {
    const connect = (token: string | undefined) => connectHttp(url, { generation, ...(token && { token }) });
    await using alice = await connect(tokens[0]?.token);
    await using bob = await connect(tokens[1]?.token);
    await using again = await connect(tokens[0]?.token);
    const result = await callBig(alice.client);
    expect(await tryToRead(bob.client, result)).toMatchObject({ isError: true, resource: expect.any(Error) });
    expect(await readAll(again.client, result.id)).toBe('x'.repeat(bytes));
  }
  command.interrupt();
  await command.ended;
});
