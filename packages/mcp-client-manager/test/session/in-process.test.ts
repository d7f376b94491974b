import { Server as FirstServer } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as FirstMcpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { fromJsonSchema, McpServer, Server } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import type { InProcessServer } from '../../src/spec.js';
import { failureOf, managerOf, managerWith, stateOf, textOf } from '../helpers/servers.js';

const info = { name: 'here', version: '1.0.0' };
const anyObject = { type: 'object' as const };
const tools = [{ name: 'shout', inputSchema: anyObject }];
const text = (value: unknown): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: String(value) }],
});

const kinds: Readonly<Record<string, () => InProcessServer>> = {
  'McpServer of SDK 1.x': () => {
    const server = new FirstMcpServer(info);
    server.registerTool('shout', {}, () => text('HELLO'));
    return server;
  },
  'Server of SDK 1.x': () => {
    const server = new FirstServer(info, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, () => text('HELLO'));
    return server;
  },
  'McpServer of SDK 2.x': () => {
    const server = new McpServer(info);
    server.registerTool('shout', { inputSchema: fromJsonSchema(anyObject) }, () => text('HELLO'));
    return server;
  },
  'Server of SDK 2.x': () => {
    const server = new Server(info, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', () => text('HELLO'));
    return server;
  },
};

test('does not create an in-process server that is stopped first', async () => {
  let made = 0;
  const server = (): InProcessServer => {
    made += 1;
    return new McpServer(info);
  };
  await using manager = managerOf({ name: 'here', server });
  const steps: string[] = [];
  manager.events.on('server-state', ({ state }) => {
    if (state.phase === 'starting') steps.push(state.step);
  });
  const started = failureOf(manager.server('here').start());
  await stateOf(manager, 'here', 'starting');
  await manager.server('here').stop();
  expect(await started).toMatchObject({ code: 'server-stopping' });
  await import('../../src/session/open-in-process-session.js'); // what the start has waited for
  await new Promise((resolve) => setImmediate(resolve));
  expect({ made, steps }).toEqual({ made: 0, steps: ['spawn'] });
});

describe.each(Object.entries(kinds))('a %s', (_, make) => {
  test('starts, runs calls, restarts and stops like any server', async () => {
    let made = 0;
    const server = (): InProcessServer => {
      made += 1;
      return make();
    };
    await using manager = managerOf({ name: 'here', server });
    expect(made).toBe(0);
    const here = manager.server('here');
    expect(textOf(await here.callTool('shout'))).toBe('HELLO');
    expect(here.session).toMatchObject({ serverInfo: info });
    expect(here.listTools().map(({ name }) => name)).toEqual(['shout']);
    expect(await here.checkHealth()).toBe(true);
    expect(here.status).toMatchObject({ transport: 'in-process', state: 'running', pid: undefined });
    await here.restart();
    expect(textOf(await here.callTool('shout'))).toBe('HELLO');
    expect(made).toBe(2);
  });

  test('may be an existing object, and is connected again after a stop', async () => {
    await using manager = managerOf({ name: 'here', server: make() });
    await manager.server('here').start();
    await manager.server('here').stop();
    expect(textOf(await manager.callTool('here', 'shout'))).toBe('HELLO');
  });

  test('restarts after it closes the connection', async () => {
    const servers: InProcessServer[] = [];
    const server = (): InProcessServer => {
      const one = make();
      servers.push(one);
      return one;
    };
    await using manager = managerOf({ name: 'here', server });
    await manager.server('here').start();
    const back = stateOf(manager, 'here', (state) => state.phase === 'ready' && state.generation === 2);
    await servers[0]?.close();
    await back;
    expect(textOf(await manager.callTool('here', 'shout'))).toBe('HELLO');
  });

  test('closes with the manager', async () => {
    let closed = 0;
    const server = make();
    const close = async (): Promise<void> => {
      closed += 1;
      await original();
    };
    const original = server.close.bind(server);
    const manager = managerOf({
      name: 'here',
      server: () => Object.assign(server, { close }),
    });
    await manager.server('here').start();
    await manager.close();
    expect(closed).toBe(1);
  });
});

test('neither side can modify the values of the other', async () => {
  const given = { content: [{ type: 'text' as const, text: 'as it was' }] };
  let got: { list?: unknown[] } = {};
  const server = new Server(info, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }) => {
    got = params.arguments ?? {};
    return given;
  });
  await using manager = managerOf({ name: 'here', server });
  const list = [1];
  const result = await manager.callTool('here', 'shout', { list, nothing: undefined });
  list.push(2);
  expect(got).toEqual({ list: [1] });
  expect(result.content[0]).not.toBe(given.content[0]);
  expect(textOf(result)).toBe('as it was');
});

test('a result over the limit fails only its call', async () => {
  const server = new FirstServer(info, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => text('é'.repeat(Number(params.arguments?.letters))));
  await using manager = managerWith({ maxMessageBytes: 10_000 }, { name: 'here', server });
  expect(await failureOf(manager.callTool('here', 'shout', { letters: 5_000 }))).toMatchObject({
    code: 'result-too-large',
  });
  expect(textOf(await manager.callTool('here', 'shout', { letters: 4_000 }))).toHaveLength(4_000);
  expect(manager.server('here').status.restarts).toBe(0);
});

test.each([
  ['nothing', () => undefined as never, 'neither a result object nor an error'],
  ['what JSON cannot carry', () => ({ contents: [], big: 1n }), 'cannot be written as JSON'],
])('a handler that returns %s fails its request at once, and the process goes on', async (_, handler, why) => {
  const server = new FirstServer(info, { capabilities: { resources: {} } });
  server.setRequestHandler(ReadResourceRequestSchema, handler);
  await using manager = managerOf({ name: 'here', server });
  expect(await failureOf(manager.server('here').readResource('a:b'))).toMatchObject({
    code: 'server-error',
    message: expect.stringContaining(why),
  });
  expect(await manager.server('here').checkHealth()).toBe(true);
  expect(manager.server('here').status.restarts).toBe(0);
});

test('reports a factory that throws, and a server in use, as a failed start', async () => {
  const taken = new McpServer(info);
  await using first = managerOf({ name: 'taken', server: taken });
  await first.server('taken').start();
  await using manager = managerOf(
    { name: 'throws', server: () => Promise.reject(new Error('no database')) },
    { name: 'taken', server: taken },
  );
  const thrown = (await failureOf(manager.server('throws').start())) as Error;
  expect(thrown.message).toContain('The in-process server "throws" failed to connect: no database');
  expect(await failureOf(manager.server('taken').start())).toMatchObject({ cause: { code: 'handshake-refused' } });
});

test('a factory that never settles times out, and a server that it creates later is closed', async () => {
  let answer: (server: InProcessServer) => void = () => undefined;
  const made = new Promise<InProcessServer>((resolve) => {
    answer = resolve;
  });
  await using manager = managerOf({
    name: 'slow',
    server: () => made,
    limits: { startupTimeoutMs: 1_000 },
    restart: { onFailure: false },
  });
  expect(await failureOf(manager.server('slow').start())).toMatchObject({ cause: { code: 'handshake-timed-out' } });
  await manager.close();
  const closed = new Promise<void>((resolve) => {
    answer({ connect: () => Promise.reject(new Error('not now')), close: async () => resolve() });
  });
  await closed;
});

test('a server whose close never settles does not delay the manager', async () => {
  const server = new McpServer(info);
  const manager = managerOf({
    name: 'stays',
    server: {
      connect: (transport: never) => server.connect(transport),
      close: () => new Promise<void>(() => undefined),
    },
    limits: { shutdownTimeoutMs: 1_000 },
  });
  await manager.server('stays').start();
  await manager.close();
});
