import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expectNoLeaks, startConformanceHttp, testServer, withOwner } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

const eras = [
  { era: 'legacy', mode: 'legacy', revision: '2025-11-25' },
  { era: 'modern', mode: { pin: '2026-07-28' }, revision: '2026-07-28' },
] as const;
const combinations = eras.flatMap((era) => [
  { ...era, transport: 'stdio', connect: connectStdio },
  { ...era, transport: 'http', connect: connectHttp },
]);

describe.for(combinations)('conformance over $transport, $era', ({ connect, era, mode, revision }) => {
  let connected: Connected;

  beforeAll(async () => {
    connected = await connect(mode);
  });

  afterAll(async () => {
    await connected[Symbol.asyncDispose]();
    await expectNoLeaks();
  });

  test('speaks the revision', () => {
    expect(connected.client.getNegotiatedProtocolVersion()).toBe(revision);
  });

  test('lists tools with their schemas word for word', async () => {
    const { tools } = await connected.client.listTools();
    expect(tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema).toMatchObject({
      $defs: { address: { $anchor: 'addressDef' } },
      additionalProperties: false,
    });
  });

  test('answers with every kind of content', async () => {
    const names = ['test_simple_text', 'test_image_content', 'test_audio_content', 'test_embedded_resource'];
    const results = await Promise.all(names.map((name) => connected.client.callTool({ name })));
    const kinds = results.flatMap(({ content }) => content.map(({ type }) => type));
    expect(kinds).toEqual(['text', 'image', 'audio', 'resource']);
  });

  test('reports its progress', async () => {
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress);
    await connected.client.callTool({ name: 'test_tool_with_progress' }, { onprogress });
    // The SDK's client drops the last one when it arrives together with the answer.
    expect(steps.slice(0, 2)).toEqual([0, 50]);
  });

  test.for([
    ['test_input_required_result_multi_round', 'Alice likes blue', ['user', 'user']],
    ['test_input_required_result_multiple_inputs', 'to Alice, who has 1 roots', ['model', 'roots', 'user']],
    ['test_input_required_result_request_state', 'state-ok', ['user']],
    ['test_sampling', 'LLM response', ['model']],
  ] as const)('%s asks the client', async ([name, words, whom]) => {
    const { client, asked } = connected;
    asked.length = 0;
    const { content } = await client.callTool({ name, arguments: { prompt: 'Well?' } });
    expect(JSON.stringify(content)).toContain(words);
    expect(asked.toSorted()).toEqual(whom);
  });

  test('asks the user for a prompt', async () => {
    const prompt = await connected.client.getPrompt({ name: 'test_input_required_result_prompt' });
    expect(prompt.messages).toMatchObject([{ content: { text: 'Prompt with context: tests' } }]);
  });

  test('reads what a template stands for', async () => {
    const { contents } = await connected.client.readResource({ uri: 'test://template/42/data' });
    expect(contents).toMatchObject([{ text: '{"id":"42","templateTest":true,"data":"Data for ID: 42"}' }]);
  });

  test('says which resource there is none of', async () => {
    const uri = 'test://nowhere';
    await expect(connected.client.readResource({ uri })).rejects.toMatchObject({ data: { uri } });
  });

  test('completes the argument of a prompt', async () => {
    const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' } as const;
    const { completion } = await connected.client.complete({ ref, argument: { name: 'arg1', value: 'par' } });
    expect(completion.values).toEqual(['paris', 'park', 'party']);
  });

  test('says what has changed, and it has', async () => {
    const { client, changes } = connected;
    const uri = 'test://watched-resource';
    if (era === 'legacy') await client.subscribeResource({ uri });
    else await client.listen({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: [uri] });
    for (const what of ['tool', 'prompt', 'resource']) {
      const change = changes.next();
      await client.callTool({ name: `test_trigger_${what}_change` });
      expect(await change).toBe(what);
    }
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('test_extra_tool');
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('test_extra_prompt');
  });
});

describe('conformance', () => {
  afterEach(expectNoLeaks);

  test('serves clients of the first SDK over stdio', async () => {
    const client = new FirstClient({ name: 'test', version: '1' });
    await client.connect(new FirstStdioTransport(stdioServer()));
    expect(await client.callTool({ name: 'test_error_handling' })).toMatchObject({ isError: true });
    await client.close();
  });

  test('serves clients of the first SDK over HTTP', async () => {
    await using server = await startConformanceHttp();
    const client = new FirstClient({ name: 'test', version: '1' });
    // The cast: its session id is optional, and may be undefined as well.
    await client.connect(new FirstHttpTransport(new URL(server.url)) as Parameters<typeof client.connect>[0]);
    expect(await client.callTool({ name: 'test_error_handling' })).toMatchObject({ isError: true });
    await client.close();
  });

  test('leaves at the end of stdin', async () => {
    await using server = new RawServer('conformance');
    await server.initialize();
    server.child.stdin.end();
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test('makes a task of a slow call, for a client that knows tasks', async () => {
    await using server = new RawServer('conformance');
    const _meta = envelope({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
    const call = { name: 'slow_compute', arguments: { seconds: 0.1, label: 'sums' }, _meta };
    const { result } = await server.request('tools/call', call);
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });
    const get = () => server.request('tasks/get', { taskId: result?.taskId, _meta });
    let task = await get();
    while (task.result?.status === 'working') task = await get();
    expect(task.result).toMatchObject({ status: 'completed', result: { content: [{ text: 'Computed sums' }] } });
  });

  test('refuses what can only be a task, for a client that does not know tasks', async () => {
    await using server = new RawServer('conformance');
    const { error } = await server.request('tools/call', { name: 'failing_job', _meta: envelope({}) });
    expect(error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
  });
});

describe('conformance-http', () => {
  afterEach(expectNoLeaks);

  test('refuses an origin that is not this machine', async () => {
    await using server = await startConformanceHttp();
    const response = await fetch(server.url, { method: 'POST', headers: { origin: 'http://evil.example.com' } });
    expect(response.status).toBe(403);
  });

  test('forgets a session that is closed', async () => {
    await using server = await startConformanceHttp();
    const transport = new StreamableHTTPClientTransport(new URL(server.url));
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const headers = { 'mcp-session-id': transport.sessionId ?? '', 'content-type': 'application/json' };
    await transport.terminateSession();
    await client.close();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await fetch(server.url, { method: 'POST', headers, body })).status).toBe(404);
  });
});

type Mode = 'legacy' | { pin: string };

interface Connected extends AsyncDisposable {
  readonly client: Client;
  /** Clients that were asked since the list was emptied. */
  readonly asked: string[];
  readonly changes: { next(): Promise<string> };
}

async function connectStdio(mode: Mode): Promise<Connected> {
  const prepared = prepare(mode);
  await prepared.client.connect(new StdioClientTransport(stdioServer()));
  return { ...prepared, [Symbol.asyncDispose]: () => prepared.client.close() };
}

function stdioServer() {
  const env = Object.entries(withOwner()).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...testServer('conformance'), env: Object.fromEntries(env) };
}

/** What a request of revision 2026-07-28 says of its client. */
function envelope(capabilities: object) {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

async function connectHttp(mode: Mode): Promise<Connected> {
  const server = await startConformanceHttp();
  const prepared = prepare(mode);
  await prepared.client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  return {
    ...prepared,
    [Symbol.asyncDispose]: async () => {
      await prepared.client.close();
      await server.close();
    },
  };
}

/** A client whose user is called Alice, likes blue, and agrees to everything. */
function prepare(mode: Mode): Omit<Connected, keyof AsyncDisposable> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} }, versionNegotiation: { mode } },
  );
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', () => {
    asked.push('user');
    return { action: 'accept', content: { name: 'Alice', color: 'blue', ok: true, context: 'tests' } };
  });
  client.setRequestHandler('sampling/createMessage', () => {
    asked.push('model');
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello' } };
  });
  client.setRequestHandler('roots/list', () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///test', name: 'test' }] };
  });
  let tell: (change: string) => void = () => undefined;
  client.setNotificationHandler('notifications/tools/list_changed', () => tell('tool'));
  client.setNotificationHandler('notifications/prompts/list_changed', () => tell('prompt'));
  client.setNotificationHandler('notifications/resources/updated', () => tell('resource'));
  const next = () =>
    new Promise<string>((resolve) => {
      tell = resolve;
    });
  return { client, asked, changes: { next } };
}
