import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { withResolvers } from '@x/internal/async';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { connectHttp, type Generation, generations, post, versionNegotiation } from '../helpers/http-client.js';
import { project, serversFile } from '../helpers/project.js';
import { type Served, startMcpx, startServing, startServingProcess } from '../helpers/serving.js';

afterEach(expectNoLeaks);

const probePaths = ['--health-path', '/healthz', '--ready-path', '/readyz'];
const open = ['--no-token', ...probePaths];

interface Probed {
  readonly status: number | undefined;
  readonly text: string;
  readonly allow: string | undefined;
}

/** Response to a probe of that path, which names the machine by its address. */
async function probe({ url }: Pick<Served, 'url'>, path: string, method = 'GET'): Promise<Probed> {
  const sent = request(new URL(path, url), { method, headers: { host: '10.1.2.3:6279' }, agent: false }).end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, text, allow: response.headers.allow };
}

const isReady = (serving: Served) => expect.poll(() => probe(serving, '/readyz'));

describe('probes', () => {
  test('learn that a gateway is alive and ready, without a token and under any host name, and nothing else', async () => {
    const servers = serversFile([
      { name: 'files', server: 'echo' },
      { name: 'broken', server: 'exits-at-once', fields: { restart_on_failure: false } },
    ]);
    await using here = await project({ 'mcp_servers.yaml': servers });
    await using serving = await startServing(here.folder, probePaths);
    await isReady(serving).toEqual({ status: 200, text: 'ready\n', allow: undefined });
    expect(await probe(serving, '/healthz?from=kubelet')).toEqual({ status: 200, text: 'alive\n', allow: undefined });
    expect(await probe(serving, '/readyz', 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect(await probe(serving, '/readyz', 'POST')).toEqual({ status: 405, text: '', allow: 'GET, HEAD' });
    expect(await probe(serving, '/mcp')).toMatchObject({ status: 403 });
    expect(await probe(serving, '/healthz/')).toMatchObject({ status: 404 });
  });

  test('learn that it is not ready while a server starts, although it serves the others', async () => {
    const servers = serversFile([
      { name: 'files', server: 'echo' },
      { name: 'hung', server: 'never-initializes', fields: { startup_timeout_seconds: 60 } },
    ]);
    await using here = await project({ 'mcp_servers.yaml': servers });
    await using serving = await startServing(here.folder, open);
    expect(await probe(serving, '/readyz')).toMatchObject({ status: 503, text: 'starting\n' });
    expect(await probe(serving, '/healthz')).toMatchObject({ status: 200 });
    expect((await post(serving.url)).status).toBe(200);
  });

  test('find nothing by default', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
    await using serving = await startServing(here.folder, ['--no-token']);
    for (const path of ['/healthz', '/readyz']) expect((await probe(serving, path)).status).toBe(404);
  });
});

const asks = { 'mcp_servers.yaml': serversFile([{ name: 'asks', server: 'asks-host' }]) };
const slow = { 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow' }]) };
const elicitation = {
  method: 'elicitation/create',
  params: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
};
const question = { name: 'mcp__asks__ask', arguments: elicitation };
const accepted = { action: 'accept' as const, content: {} };
const capabilities = { elicitation: { form: {} } };
const clientInfo = { name: 'official', version: '1.0.0' };

/** A client that responds to questions with `answer`: of 2026-07-28 in a further request. */
async function connectAsked(url: string, generation: Generation, answer: () => Promise<typeof accepted>) {
  if (generation === '1.x') {
    const client = new ClientV1(clientInfo, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, answer);
    // Its own type of the transport does not fit exactOptionalPropertyTypes.
    await client.connect(new TransportV1(new URL(url)) as never);
    return { client: client as unknown as Client, [Symbol.asyncDispose]: () => client.close() };
  }
  const client = new Client(clientInfo, { capabilities, versionNegotiation: versionNegotiation(generation) });
  client.setRequestHandler('elicitation/create', answer);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

describe('SIGTERM over HTTP', () => {
  test.each(generations)('lets a call finish that waits for its %s client, and takes no more', async (generation) => {
    await using here = await project(asks);
    await using serving = await startServingProcess(here.folder, open);
    await using connection = await connectAsked(serving.url, generation, async () => {
      serving.child.kill('SIGTERM');
      await isReady(serving).toMatchObject({ status: 503, text: 'draining\n' });
      expect((await probe(serving, '/healthz')).status).toBe(200);
      const refused = await post(serving.url);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('shutting down') } });
      return accepted;
    });
    const { content } = await connection.client.callTool(question);
    expect(content).toEqual([{ type: 'text', text: JSON.stringify({ result: accepted }) }]);
    const { exitCode, stderr } = await serving.ended();
    expect(stderr).toContain('Shutting down. Open requests have 20 seconds to finish.\n');
    expect(exitCode).toBe(exitCodes.ok);
  });

  test('lets a call of a client of 2026-07-28 finish, and ends subscriptions', async () => {
    await using here = await project(slow);
    await using serving = await startServingProcess(here.folder, open);
    await using connection = await connectHttp(serving.url, { generation: '2.x of 2026-07-28' });
    const progress = new EventEmitter();
    const progressed = once(progress, 'seen');
    const result = connection.client.callTool(
      { name: 'mcp__slow__wait', arguments: { ms: 3_000, steps: 6 } },
      { onprogress: () => progress.emit('seen') },
    );
    await progressed;
    serving.child.kill('SIGTERM');
    await isReady(serving).toMatchObject({ status: 503, text: 'draining\n' });
    await expect(connection.client.listTools()).rejects.toThrow('shutting down');
    expect((await result).content).toEqual([{ type: 'text', text: 'waited 3000 ms' }]);
    expect((await serving.ended()).exitCode).toBe(exitCodes.ok);
  });

  test('cuts off a call whose client of 2026-07-28 does not return within --drain', async () => {
    await using here = await project(asks);
    await using serving = await startServingProcess(here.folder, [...open, '--drain', '1']);
    const left = withResolvers();
    await using connection = await connectAsked(serving.url, '2.x of 2026-07-28', async () => {
      serving.child.kill('SIGTERM');
      await left.promise;
      return accepted;
    });
    const failed = expect(connection.client.callTool(question)).rejects.toThrow();
    const { exitCode, stderr } = await serving.ended();
    left.resolve();
    await failed;
    expect(stderr).toContain('warning: Some requests did not finish and were cut off.');
    expect(exitCode).toBe(exitCodes.interrupted);
  });

  test.each([
    ['1', 'warning: Some requests did not finish and were cut off.'],
    ['0', ''],
  ])('cuts off what does not finish within --drain %s', async (drain, warning) => {
    await using here = await project(slow);
    await using serving = await startServingProcess(here.folder, [...open, '--drain', drain]);
    await using connection = await connectHttp(serving.url, { generation: '2.x of 2026-07-28' });
    const progress = new EventEmitter();
    const progressed = once(progress, 'seen');
    const result = connection.client.callTool(
      { name: 'mcp__slow__wait', arguments: { ms: 600_000, steps: 6_000 } },
      { onprogress: () => progress.emit('seen') },
    );
    result.catch(() => undefined);
    await progressed;
    serving.child.kill('SIGTERM');
    const { exitCode, stderr } = await serving.ended();
    expect(stderr).toContain(warning);
    expect(exitCode).toBe(exitCodes.interrupted);
  });
});

/** Speaks to `mcpx serve` over its stdin and stdout, one line at a time. */
function speak({ child, seen }: ReturnType<typeof startMcpx>) {
  return {
    send: (message: object) => void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    /** The line with that in it. */
    heard: async (pattern: RegExp) => {
      const { input, index } = await seen(pattern, 'stdout');
      const line = input.slice(input.lastIndexOf('\n', index) + 1);
      return JSON.parse(line.slice(0, line.indexOf('\n')));
    },
  };
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('SIGTERM over stdio', () => {
  test('lets a call finish that waits for its client, refuses others, and exits with 0', async () => {
    await using here = await project(asks);
    await using serving = startMcpx(here.folder, ['serve', '--own-servers']);
    const { send, heard } = speak(serving);
    send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
    send({ method: 'notifications/initialized' });
    send({ id: 'call', method: 'tools/call', params: question });
    const { id } = await heard(/"elicitation\/create".*\n/);
    serving.child.kill('SIGTERM');
    await serving.seen(/Shutting down/);
    send({ id: 'late', method: 'tools/list' });
    expect((await heard(/"late".*\n/)).error).toMatchObject({
      code: -32_000,
      message: expect.stringContaining('shutting down'),
    });
    send({ id, result: accepted });
    expect((await heard(/"call".*\n/)).result.content[0].text).toContain('accept');
    expect((await serving.ended()).exitCode).toBe(exitCodes.ok);
  });

  test('lets a call of 2026-07-28 finish that its client continues with a further request', async () => {
    await using here = await project(asks);
    await using serving = startMcpx(here.folder, ['serve', '--own-servers']);
    const { send, heard } = speak(serving);
    const _meta = { ...modern, 'io.modelcontextprotocol/clientCapabilities': capabilities };
    send({ id: 'call', method: 'tools/call', params: { ...question, _meta } });
    const { requestState, inputRequests } = (await heard(/"input_required".*\n/)).result;
    serving.child.kill('SIGTERM');
    await serving.seen(/Shutting down/);
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, accepted]));
    send({ id: 'other', method: 'tools/call', params: { ...question, _meta, inputResponses, requestState: 'other' } });
    expect((await heard(/"other".*\n/)).error).toMatchObject({ code: -32_000 });
    send({ id: 'next', method: 'tools/call', params: { ...question, _meta, inputResponses, requestState } });
    expect((await heard(/"next".*\n/)).result.content[0].text).toContain('accept');
    expect((await serving.ended()).exitCode).toBe(exitCodes.ok);
  });

  test('lets a call of 2026-07-28 finish, too', async () => {
    await using here = await project(slow);
    await using serving = startMcpx(here.folder, ['serve', '--own-servers']);
    const { send, heard } = speak(serving);
    const call = { name: 'mcp__slow__wait', arguments: { ms: 3_000, steps: 6 } };
    send({ id: 'call', method: 'tools/call', params: { ...call, _meta: { ...modern, progressToken: 1 } } });
    await heard(/"notifications\/progress".*\n/);
    serving.child.kill('SIGTERM');
    await serving.seen(/Shutting down/);
    send({ id: 'late', method: 'tools/list', params: { _meta: modern } });
    expect((await heard(/"late".*\n/)).error).toMatchObject({ code: -32_000 });
    expect((await heard(/"call".*\n/)).result.content).toEqual([{ type: 'text', text: 'waited 3000 ms' }]);
    expect((await serving.ended()).exitCode).toBe(exitCodes.ok);
  });

  test('a second one ends it at once', async () => {
    await using here = await project(asks);
    await using serving = startMcpx(here.folder, ['serve', '--own-servers']);
    const { send, heard } = speak(serving);
    send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
    send({ method: 'notifications/initialized' });
    send({ id: 'call', method: 'tools/call', params: question });
    await heard(/"elicitation\/create".*\n/);
    serving.child.kill('SIGTERM');
    await serving.seen(/Shutting down/);
    serving.child.kill('SIGTERM');
    expect((await serving.ended()).exitCode).toBe(exitCodes.interrupted);
  });
});
