import { createRequire } from 'node:module';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Generation, generations, versionNegotiation } from '../helpers/http-client.js';
import { project } from '../helpers/project.js';
import { startServing } from '../helpers/serving.js';
import { serveCommand } from '../helpers/stdio-client.js';

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
type Loose = any;

const opened: AsyncDisposable[] = [];

const require = createRequire(import.meta.url);
const servers = {
  everything: {
    command: process.execPath,
    args: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js')],
    auto_start: true,
  },
  shelf: { ...testServer('resources-and-prompts'), auto_start: true },
  slow: { ...testServer('slow'), auto_start: true },
};

function clientOf(generation: Generation): Loose {
  const info = { name: 'real-client', version: '1.0.0' };
  return generation === '1.x'
    ? new ClientV1(info)
    : new Client(info, { versionNegotiation: versionNegotiation(generation) });
}

async function connect(generation: Generation, way: 'stdio' | 'HTTP') {
  const here = await project({ 'mcp_servers.yaml': JSON.stringify({ mcp_servers: servers }) });
  opened.push(here);
  const client = clientOf(generation);
  const isV1 = generation === '1.x';
  if (way === 'stdio') {
    const command = serveCommand(here.folder);
    await client.connect(isV1 ? new StdioTransportV1(command) : new StdioClientTransport(command));
  } else {
    const serving = await startServing(here.folder);
    opened.push(serving);
    const url = new URL(serving.url);
    const options = { requestInit: { headers: { authorization: `Bearer ${await serving.token()}` } } };
    await client.connect(isV1 ? new HttpTransportV1(url, options) : new StreamableHTTPClientTransport(url, options));
  }
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  return client;
}

const ways = ['stdio', 'HTTP'] as const;
const clients = ways.flatMap((way) => generations.map((generation) => ({ way, generation })));

describe.each(clients)('a $generation client over $way', ({ way, generation }) => {
  let client: Loose;
  beforeAll(async () => {
    client = await connect(generation, way);
  });
  afterAll(async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
    await expectNoLeaks();
  });

  test('has the tools, resources, templates, prompts and completions of all servers', async () => {
    const { tools } = await client.listTools();
    const named = tools.map(({ name }: Loose) => name);
    for (const name of ['search_mcp_tools', 'mcp__everything__echo', 'mcp__shelf__echo', 'mcp__slow__wait']) {
      expect(named).toContain(name);
    }
    const echoed = await client.callTool({ name: 'mcp__everything__echo', arguments: { message: 'hello' } });
    expect(echoed.content).toEqual([{ type: 'text', text: 'Echo: hello' }]);
    const image = await client.callTool({ name: 'mcp__everything__get-tiny-image', arguments: {} });
    expect(image.content.map(({ type }: Loose) => type)).toContain('image');
    const wrong = await client.callTool({ name: 'mcp__everything__get-sum', arguments: { a: 'no number' } });
    expect(wrong.isError).toBe(true);

    const { resources } = await client.listResources();
    const uri = resources.find((each: Loose) => each.uri.startsWith('mcp+everything:')).uri;
    expect((await client.readResource({ uri })).contents[0].uri).toBe(uri);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((each: Loose) => each.uriTemplate)).toContain('mcp+shelf:test://{name}');

    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }: Loose) => name)).toContain('mcp__shelf__greet');
    const { messages } = await client.getPrompt({ name: 'mcp__shelf__greet', arguments: { who: 'you' } });
    expect(messages[0].content.text).toBe('Hello you');
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'mcp__everything__completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completed.completion.values).toContain('Engineering');
  });

  test('receives progress, and cancels calls that it gives up', async () => {
    const wait = (args: object, options: object) =>
      generation === '1.x'
        ? client.callTool({ name: 'mcp__slow__wait', arguments: args }, undefined, options)
        : client.callTool({ name: 'mcp__slow__wait', arguments: args }, options);
    const controller = new AbortController();
    const seen: number[] = [];
    const onprogress = ({ progress }: Loose) => {
      seen.push(progress);
      if (progress === 3) controller.abort(new Error('enough'));
    };
    const waiting = wait({ ms: 600_000, steps: 60_000 }, { signal: controller.signal, onprogress });
    await expect(waiting).rejects.toThrow();
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
    const cancelled = async () =>
      JSON.parse((await client.callTool({ name: 'mcp__slow__cancelled', arguments: {} })).content[0].text);
    await expect.poll(cancelled).toHaveLength(1);
  });
});
