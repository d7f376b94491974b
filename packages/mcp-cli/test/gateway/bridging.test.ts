import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { type ClientHandlers, createClientManager, type StdioServerSpec } from '@x/mcp-client-manager';
import { createGateway, type GatewayOptions, singleClientCapabilities, toNodeListener } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Answers,
  answersOf,
  ask,
  connectAnswering,
  form,
  httpTransport,
  type ClientKind as Kind,
  type Loose,
  parse,
  words,
} from '../helpers/answering-client.js';

const require = createRequire(import.meta.url);
const everything = {
  command: process.execPath,
  args: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js')],
};

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

type ServerFields = Omit<StdioServerSpec, 'name'>;

interface Opening extends Partial<GatewayOptions> {
  readonly handlers?: ClientHandlers;
}

async function open(servers: Readonly<Record<string, ServerFields>>, { handlers = {}, ...options }: Opening = {}) {
  const specs = Object.entries(servers).map(([name, server]) => ({ name, autoStart: true, ...server }));
  const manager = createClientManager({ servers: specs }, { capabilities: singleClientCapabilities, handlers });
  const registry = createRegistry({ roles: [{ role: 'user', allowedTools: ['asks', 'again'] }] });
  const gateway = createGateway({ registry, upstreams: manager, ...options });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  return { manager, gateway };
}

/** One HTTP server for everybody, whose tokens are `<principal>-token`. */
async function serveHttp(gateway: ReturnType<typeof createGateway>) {
  const handler = gateway.handler({ verifyToken: (token) => ({ id: token }) }, ({ id }) => ({
    role: 'user',
    principal: id.replace('-token', ''),
  }));
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(handler, {
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

async function connect(kind: Kind, gateway: ReturnType<typeof createGateway>, answers: Answers) {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const serving = gateway.serve({ transport: serverSide as never });
  const client = await connectTo(clientSide, kind, answers);
  opened.push(serving);
  return client;
}

async function connectHttp(kind: Kind, url: URL, principal: string, answers: Answers) {
  return connectTo(httpTransport(kind, url, `${principal}-token`), kind, answers);
}

async function connectTo(transport: unknown, kind: Kind, answers: Answers) {
  const connected = await connectAnswering(transport, kind, answers);
  opened.push(connected);
  return connected;
}

describe.each(['modern', 'legacy', 'v1'] as const)('with a %s client', (kind) => {
  test('a server of the revisions before 2026-07-28 has all that it asks for', async () => {
    const { gateway, manager } = await open({ asks: testServer('asks-host') });
    expect(manager.server('asks').session?.era).toBe('legacy');
    const { call } = await connect(kind, gateway, answersOf('ada'));
    const of = async (method: string, params?: Record<string, unknown>) =>
      parse(await call('mcp__asks__ask', ask(method, params))).result;
    expect(await of('elicitation/create', form)).toMatchObject({ action: 'accept', content: { name: 'ada' } });
    expect(await of('sampling/createMessage', words)).toMatchObject({ content: { text: 'ada' } });
    expect(await of('roots/list')).toMatchObject({ roots: [{ uri: 'file:///ada' }] });
    const page = { mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: 'e1' };
    expect(await of('elicitation/create', page)).toMatchObject({ action: 'accept' });
    expect(parse(await call('mcp__asks__host_capabilities'))).toMatchObject({
      sampling: {},
      elicitation: {},
      roots: {},
    });
  });

  test('a server of the 2026-07-28 revision has all that it asks for, and its state back', async () => {
    const { gateway, manager } = await open({ asks: testServer('modern-input-required') });
    expect(manager.server('asks').session?.era).toBe('modern');
    const { call } = await connect(kind, gateway, answersOf('ada'));
    const greeted = parse(await call('mcp__asks__greet'));
    expect(greeted).toMatchObject({ who: { action: 'accept', content: { name: 'ada' } }, state: 'opaque ✓ state' });
    expect(parse(await call('mcp__asks__all'))).toMatchObject({
      who: { content: { name: 'ada' } },
      page: { action: 'accept' },
      words: { content: { text: 'ada' } },
      roots: { roots: [{ uri: 'file:///ada' }] },
    });
    expect(parse(await call('mcp__asks__later', { times: 2 }))).toEqual({ round: 2 });
  });

  test('the reference server has its samples and elicitations', async () => {
    const { gateway } = await open({ everything });
    const answers: Answers = { ...answersOf('ada'), elicitation: () => ({ action: 'decline' }) };
    const { call } = await connect(kind, gateway, answers);
    const sampled = await call('mcp__everything__trigger-sampling-request', { prompt: 'Well?', maxTokens: 10 });
    expect(sampled.content[0].text).toContain('"text": "ada"');
    const elicited = await call('mcp__everything__trigger-elicitation-request');
    expect(elicited.content[0].text).toMatch(/declin/i);
  });

  test('what the client does not offer is refused at the server', async () => {
    const { gateway } = await open({ old: testServer('asks-host'), asks: testServer('modern-input-required') });
    const { call } = await connect(kind, gateway, {});
    for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
      const { error } = parse(
        await call('mcp__old__ask', ask(method, method === 'roots/list' ? {} : { ...form, ...words })),
      );
      expect(error.code).toBe(-32_601);
    }
    const refused = await call('mcp__asks__greet').catch((error: unknown) => error);
    expect(refused.isError === true || refused.code < 0).toBe(true);
  });

  test('a call that is cancelled while its client is asked is in the way of no other', async () => {
    const { gateway } = await open({ asks: testServer('asks-host') });
    const cancel = new AbortController();
    const elicitation = () => {
      cancel.abort();
      // Between two rounds there is nothing to cancel: a client of the later revision does not come back.
      return kind === 'modern' ? Promise.reject(new Error('cancelled')) : new Promise(() => {});
    };
    const { call } = await connect(kind, gateway, { ...answersOf('ada'), elicitation });
    const cancelled = call('mcp__asks__ask', ask('elicitation/create', form), { signal: cancel.signal });
    await expect(cancelled).rejects.toThrow();
    expect(parse(await call('mcp__asks__ask', ask('roots/list'))).result).toMatchObject({ roots: [{}] });
  });
});

test.each([
  ['modern', 'v1', 'stdio'],
  ['v1', 'modern', 'stdio'],
  ['v1', 'modern', 'HTTP'],
  ['modern', 'legacy', 'HTTP'],
] as const)(
  'a held call of one client takes no question from another: %s and %s over %s',
  async (first, second, way) => {
    const { gateway } = await open({ asks: { ...testServer('asks-host'), connections: 'per-caller' } });
    const url = way === 'HTTP' ? await serveHttp(gateway) : undefined;
    const join = (kind: Kind, name: string, answers: Answers) =>
      url === undefined ? connect(kind, gateway, answers) : connectHttp(kind, url, name, answers);
    const answering: ((result: unknown) => void)[] = [];
    const held = new Promise<void>((resolve) => {
      const elicitation = () => {
        resolve();
        return new Promise((answer) => answering.push(answer));
      };
      void join(first, 'ada', { ...answersOf('ada'), elicitation }).then((ada) => {
        adasCall = ada.call('mcp__asks__ask', ask('elicitation/create', form));
      });
    });
    let adasCall: Promise<Loose> | undefined;
    const bob = await join(second, 'bob', answersOf('bob'));
    await held;
    const of = async (method: string, params?: Record<string, unknown>) =>
      parse(await bob.call('mcp__asks__ask', ask(method, params))).result;
    expect(await of('roots/list')).toMatchObject({ roots: [{ uri: 'file:///bob' }] });
    expect(await of('sampling/createMessage', words)).toMatchObject({ content: { text: 'bob' } });
    for (const answer of answering) answer({ action: 'accept', content: { name: 'ada' } });
    expect(parse(await adasCall).result).toMatchObject({ content: { name: 'ada' } });
  },
);

test.each([
  ['modern', 'modern', 'stdio'],
  ['modern', 'v1', 'stdio'],
  ['v1', 'legacy', 'stdio'],
  ['modern', 'modern', 'HTTP'],
  ['v1', 'modern', 'HTTP'],
  ['legacy', 'v1', 'HTTP'],
] as const)(
  'what a server asks for one client never reaches another: %s and %s over %s',
  async (first, second, way) => {
    const { gateway } = await open({ asks: testServer('asks-host'), again: testServer('modern-input-required') });
    const url = way === 'HTTP' ? await serveHttp(gateway) : undefined;
    const join = (kind: Kind, name: string, answers: Answers) =>
      url === undefined ? connect(kind, gateway, answers) : connectHttp(kind, url, name, answers);
    let answer: (result: unknown) => void = () => {};
    let tell = () => {};
    const asked = new Promise<void>((resolve) => (tell = resolve));
    const elicitation = () => {
      tell();
      return new Promise((resolve) => (answer = resolve));
    };
    const adaAnswers: Answers = { ...answersOf('ada'), elicitation };
    const bobAsked: unknown[] = [];
    const bobAnswers = Object.fromEntries(
      Object.entries(answersOf('bob')).map(([key, give]) => [
        key,
        (params: Loose) => {
          bobAsked.push(key);
          return give(params, new AbortController().signal);
        },
      ]),
    );
    const ada = await join(first, 'ada', adaAnswers);
    const bob = await join(second, 'bob', bobAnswers);
    const adasCall = ada.call('mcp__asks__ask', ask('elicitation/create', form));
    await asked;
    // The server does not say whose call this is about: it is refused rather than guessed.
    const { error } = parse(await bob.call('mcp__asks__ask', ask('roots/list')));
    expect(error.code).toBeLessThan(0);
    expect(bobAsked).toEqual([]);
    // One that says so is not concerned.
    expect(parse(await bob.call('mcp__again__greet')).who.content).toEqual({ name: 'bob' });
    answer({ action: 'accept', content: { name: 'ada' } });
    expect(parse(await adasCall).result.content).toEqual({ name: 'ada' });
    // What comes a moment later may still be about the call that is over.
    const asksBob = async () => parse(await bob.call('mcp__asks__ask', ask('sampling/createMessage', words)));
    await expect.poll(async () => (await asksBob()).result?.content.text, { timeout: 20_000 }).toBe('bob');
  },
);

test('many clients that ask a server of the 2026-07-28 revision at once are each asked for their own', async () => {
  const { gateway } = await open({ asks: testServer('modern-input-required') });
  const names = Array.from({ length: 12 }, (_, n) => `user-${n}`);
  const kinds: readonly Kind[] = ['modern', 'legacy', 'v1'];
  const clients = await Promise.all(names.map((name, n) => connect(kinds[n % 3] ?? 'v1', gateway, answersOf(name))));
  const greeted = await Promise.all([...clients, ...clients].map(({ call }) => call('mcp__asks__greet')));
  expect(greeted.map((result) => parse(result).who.content.name)).toEqual([...names, ...names]);
});

test('a server request outside of any call goes to the manager', async () => {
  const handlers = { roots: () => ({ roots: [{ uri: 'file:///of-the-app' }] }) };
  const { gateway } = await open({ asks: testServer('asks-host') }, { handlers });
  const { call, client } = await connect('v1', gateway, answersOf('ada'));
  const early = parse(await call('mcp__asks__early_roots'));
  expect(early.roots).toEqual([{ uri: 'file:///of-the-app' }]);
  await client.sendRootsListChanged();
  await expect.poll(async () => parse(await call('mcp__asks__roots_changes'))).toBe(1);
});
