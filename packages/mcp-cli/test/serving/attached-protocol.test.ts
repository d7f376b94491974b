import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpxProgram } from '../helpers/daemon-programs.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { type Generation, generations, versionNegotiation } from '../helpers/http-client.js';
import type { RunningCommand } from '../helpers/running-command.js';
import { serveOn, transportOf } from '../helpers/served-client.js';
import { onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

// biome-ignore lint/suspicious/noExplicitAny: two libraries' types of one thing, looked at by matchers alone
type Loose = any;

const require = createRequire(import.meta.url);
const everything = {
  command: process.execPath,
  args: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js')],
};
const tasksExtension = 'io.modelcontextprotocol/tasks';
const modern = '2.x of 2026-07-28';

let stage: DaemonStage;
let http: RunningCommand;
let url: string;
beforeAll(async () => {
  stage = await daemonStage([
    { name: 'everything', server: 'echo', fields: everything },
    { name: 'shelf', server: 'resources-and-prompts' },
    { name: 'growing', server: 'changes-tools' },
    { name: 'jobs', server: 'tasks' },
    { name: 'slow', server: 'slow' },
    { name: 'suite', server: 'conformance', fields: { protocol: '2026-07-28' } },
  ]);
  const tokens = ['alice', 'bob'].map((id) => ({ token: `${id}s-own-token-of-http`, id, role: 'all' }));
  const rules = {
    app: {
      mcp_tools: {},
      role_restrictions: { all: { allowed_tools: ['everything', 'shelf', 'growing', 'jobs', 'suite'] } },
    },
  };
  await writeFile(join(stage.folder, 'tools.yaml'), JSON.stringify({ tools: rules }));
  await writeFile(join(stage.folder, 'tokens.yaml'), JSON.stringify({ tokens }), { mode: 0o600 });
  http = serveOn(stage, ['--http', '--port', '0', '--tokens-file', 'tokens.yaml']);
  [, url = ''] = await until(() => /Serving \d servers at (\S+)\n/.exec(http.stderr()) ?? undefined);
});
afterAll(async () => {
  for (const each of opened) await each.close();
  http.interrupt();
  await http.ended;
  await stage[Symbol.asyncDispose]();
  await expectNoLeaks();
});

/** Clients and transports that are closed in the end. */
const opened: Loose[] = [];

interface Attaching {
  readonly token?: string;
  readonly args?: readonly string[];
  /** Over stdio: `mcpx serve` as a process of its own. Default: in the process of the test. */
  readonly isProcess?: boolean;
}

function transportTo(
  generation: Generation,
  over: 'stdio' | 'HTTP',
  { token = 'alices-own-token-of-http', args = [], isProcess = false }: Attaching = {},
): Loose {
  const HttpTransport = generation === '1.x' ? HttpTransportV1 : StreamableHTTPClientTransport;
  if (over === 'HTTP')
    return new HttpTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
  return isProcess ? processTransport(args) : transportOf(serveOn(stage, args));
}

function processTransport(args: readonly string[]) {
  return new StdioClientTransport({
    command: process.execPath,
    args: [mcpxProgram(), 'serve', ...args],
    cwd: stage.folder,
    env: { ...(stage.io.env as Record<string, string>), XDG_DATA_HOME: stage.io.stateDirectory ?? '' },
    stderr: 'ignore',
  });
}

/** An official client attached to the daemon of the stage, over stdio or HTTP. */
async function attach(generation: Generation, over: 'stdio' | 'HTTP', options: Attaching = {}) {
  const info = { name: 'official', version: '1.0.0' };
  const client: Loose =
    generation === '1.x'
      ? new ClientV1(info)
      : new Client(info, { versionNegotiation: versionNegotiation(generation) });
  const received: { method: string; params: Loose }[] = [];
  client.fallbackNotificationHandler = async (notification: Loose) => void received.push(notification);
  await client.connect(transportTo(generation, over, options));
  opened.push(client);
  /** The parameters of the next notification of this kind. */
  const next = (method: string): Promise<Loose> =>
    until(() => {
      const index = received.findIndex((notification) => notification.method === method);
      return index === -1 ? undefined : { params: received.splice(index, 1)[0]?.params };
    });
  const call = (name: string, args: object = {}, rest: object = {}): Promise<Loose> =>
    client.callTool({ name, arguments: args, ...rest });
  return { client, next, call };
}

/** Requests of the revision 2026-07-28 as any program may send them. */
async function openRequests(transport: Loose): Promise<(method: string, params: object) => Promise<Loose>> {
  const waiting = new Map<unknown, (message: Loose) => void>();
  transport.onmessage = (message: Loose) => waiting.get(message.id)?.(message);
  await transport.start();
  opened.push(transport);
  transport.setProtocolVersion?.('2026-07-28');
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'any', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [tasksExtension]: {} }, elicitation: {} },
  };
  return (method, params) => {
    const id = waiting.size + 1;
    const answered = new Promise<Loose>((resolve) => waiting.set(id, resolve));
    transport.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    return answered;
  };
}

const ways = (['stdio', 'HTTP'] as const).flatMap((over) => generations.map((generation) => ({ generation, over })));

describe.each(ways)('an attached client $generation over $over', ({ generation, over }) => {
  let attached: Awaited<ReturnType<typeof attach>>;
  beforeAll(async () => {
    attached = await attach(generation, over, { isProcess: true });
  });

  test('gets prompts, completions, resources and templates of the reference server', async () => {
    const { client } = attached;
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }: Loose) => name)).toContain('mcp__everything__args-prompt');
    const { messages } = await client.getPrompt({ name: 'mcp__everything__args-prompt', arguments: { city: 'Oslo' } });
    expect(messages[0].content.text).toContain('Oslo');
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'mcp__everything__completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completion.values).toContain('Engineering');
    const { resources } = await client.listResources();
    const { uri } = resources.find((each: Loose) => each.uri.startsWith('mcp+everything:'));
    expect((await client.readResource({ uri })).contents[0].uri).toBe(uri);
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = resourceTemplates.find((each: Loose) => each.uriTemplate.startsWith('mcp+everything:'));
    const filled = template.uriTemplate.replace(/\{[^}]*\}/, '1');
    expect((await client.readResource({ uri: filled })).contents[0].uri).toBe(filled);
  });

  test('is notified of changed tools, prompts and resources, of those it subscribed to, and of log entries', async () => {
    const { client, next, call } = attached;
    const uri = 'mcp+shelf:test://a';
    if (generation === modern) {
      const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      await client.listen({ ...lists, resourceSubscriptions: [uri] });
    } else {
      await client.subscribeResource({ uri });
      await client.setLoggingLevel('warning');
    }
    const { content } = await call('mcp__growing__grow');
    const hasGrown = async (): Promise<boolean> => {
      const { tools } = await client.listTools();
      return tools.some(({ name }: Loose) => name === `mcp__growing__${content[0].text}`);
    };
    // Earlier changes, of servers that came up late, are notified too.
    do await next('notifications/tools/list_changed');
    while (!(await hasGrown()));
    for (const list of ['prompts', 'resources']) {
      await call('mcp__shelf__announce', { list });
      await next(`notifications/${list}/list_changed`);
    }
    await call('mcp__shelf__touch', { uri: 'test://a' });
    expect((await next('notifications/resources/updated')).params).toMatchObject({ uri });
    const _meta = generation === modern ? { 'io.modelcontextprotocol/logLevel': 'warning' } : {};
    for (const level of ['info', 'error']) await call('mcp__shelf__log', { level, data: level }, { _meta });
    expect((await next('notifications/message')).params).toMatchObject({ logger: 'shelf', data: 'error' });
  });
});

describe.each(['stdio', 'HTTP'] as const)('tasks over %s', (over) => {
  test('of the revision 2025-11-25 run, and belong to the client that created them', async () => {
    const [one, other] = [await attach('1.x', over), await attach('1.x', over, { token: 'bobs-own-token-of-http' })];
    const params = { name: 'mcp__jobs__add_slowly', arguments: { a: 2, b: 3 } };
    const seen: Loose[] = [];
    for await (const message of one.client.experimental.tasks.callToolStream(params, CallToolResultSchema, {
      task: { ttl: 60_000 },
    }))
      seen.push(message);
    expect(seen.at(0)).toMatchObject({ type: 'taskCreated' });
    expect(seen.at(-1)).toMatchObject({ type: 'result', result: { content: [{ text: '5' }] } });
    const { taskId } = seen[0].task;
    expect((await one.client.experimental.tasks.getTask(taskId)).status).toBe('completed');
    await expect(other.client.experimental.tasks.getTask(taskId)).rejects.toThrow('There is no such task');
  });

  // The official clients do not accept a task as the result of a call in this revision.
  test('of the revision 2026-07-28 ask, are answered and complete', async () => {
    const request = await openRequests(transportTo(modern, over));
    const call = { name: 'mcp__suite__confirm_delete', arguments: { filename: 'a.txt' } };
    const { taskId } = (await request('tools/call', call)).result;
    const asked = await request('tasks/get', { taskId });
    expect(asked.result).toMatchObject({ status: 'input_required', inputRequests: { confirm: expect.anything() } });
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
    expect((await request('tasks/update', { taskId, inputResponses })).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await request('tasks/get', { taskId })).result).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'Deleted a.txt' }] },
    });
    const stranger = await openRequests(transportTo(modern, over, { token: 'bobs-own-token-of-http' }));
    expect((await stranger('tasks/get', { taskId })).error).toMatchObject({ code: -32_602 });
  });
});

test('a client that fills a server with slow calls keeps no other client waiting', async () => {
  const [one, other] = [await attach('2.x of 2025', 'stdio'), await attach('2.x of 2025', 'stdio')];
  const ended = Promise.allSettled(Array.from({ length: 40 }, () => one.call('mcp__slow__wait', { ms: 3_600_000 })));
  const report = async (): Promise<Loose> => JSON.parse((await onStage(stage, ['status', '--json'])).stdout);
  const slow = async () => (await report()).servers.find(({ name }: Loose) => name === 'slow');
  await until(async () => (await slow()).callsQueued >= 24);
  expect((await other.call('mcp__slow__echo', { text: 'x' })).content[0].text).toBe('x');
  await one.client.close();
  await ended;
  await until(async () => (await slow()).callsInFlight === 0);
});

test('a rate limit holds for the client that it was given for', async () => {
  const [limited, free] = [
    await attach('2.x of 2025', 'stdio', { args: ['--limit-server', 'shelf=2/h'] }),
    await attach('2.x of 2025', 'stdio'),
  ];
  for (const _ of [1, 2]) await limited.call('mcp__shelf__pid');
  await expect(limited.call('mcp__shelf__pid')).rejects.toMatchObject({ data: { reason: 'rate-limited' } });
  for (const _ of [1, 2, 3]) expect((await free.call('mcp__shelf__pid')).content).toHaveLength(1);
});
