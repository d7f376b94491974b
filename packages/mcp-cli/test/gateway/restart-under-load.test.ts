import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway, toNodeListener } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, serveOnLoopback, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { connectHttp, generations } from '../helpers/http-client.js';

const token = 'a-token-of-some-length';
const lost = 'The server did not respond: outcome-unknown';
const fixture = fileURLToPath(new URL('../fixtures/records-calls.mjs', import.meta.url));

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

type Connected = Awaited<ReturnType<typeof connectHttp>>['client'];

/** Outcome of one call at the client: its result, or an unknown outcome. */
interface Outcome {
  readonly id: string;
  readonly kind: 'result' | 'uncertain';
}

test('of a server that is killed and restarted under load every call has one answer, and none is made twice', async () => {
  const { manager, clients, control, executed, clientErrors } = await open();
  const recorded = manager.server('recorded');
  const starts: Promise<unknown>[] = [];
  const kill = () => void process.kill(recorded.status.pid as number, 'SIGKILL');
  const restart = () => void starts.push(recorded.restart());
  const incidents = new Map([
    [50, kill],
    [100, restart],
    [150, kill],
    [200, restart],
  ]);
  const callsALane = 30;
  let results = 0;
  const lanes = clients.flatMap(({ name, client }) =>
    Array.from({ length: 4 }, async (_, lane) => {
      const outcomes: Outcome[] = [];
      for (let number = 0; number < callsALane; number += 1) {
        const id = `${name}, ${lane}, ${number}`;
        const outcome = await call(client, 'record', id);
        outcomes.push(outcome);
        if (outcome.kind === 'result') incidents.get(++results)?.();
        expect(await echo(client, id)).toBe(id);
      }
      return outcomes;
    }),
  );
  const outcomes = (await Promise.all(lanes)).flat();
  await Promise.all(starts);

  const made = await executed();
  const of = (kind: Outcome['kind']) => outcomes.flatMap((outcome) => (outcome.kind === kind ? [outcome.id] : []));
  expect(outcomes).toHaveLength(lanes.length * callsALane);
  expect(new Set(made).size).toBe(made.length);
  const uncertain = new Set(of('uncertain'));
  expect(made.filter((id) => !uncertain.has(id)).toSorted()).toEqual(of('result').toSorted());
  expect(control.starts()).toBe(1 + incidents.size);
  expect(clientErrors).toEqual([]);
});

test('calls in progress at a killed server are reported as uncertain, and the next process never sees them', async () => {
  const { manager, clients, control, executed } = await open();
  const ids = clients.map(({ name }) => `held for ${name}`);
  const outcomes = clients.map(({ client }, index) => call(client, 'hold', ids[index] as string));
  await control.told(ids);
  process.kill(manager.server('recorded').status.pid as number, 'SIGKILL');
  for (const outcome of await Promise.all(outcomes)) expect(outcome.kind).toBe('uncertain');

  await control.started(2);
  await manager.server('recorded').start();
  for (const { name, client } of clients)
    expect((await call(client, 'record', `afterwards, ${name}`)).kind).toBe('result');
  expect(control.starts()).toBe(2);
  const afterwards = clients.map(({ name }) => `afterwards, ${name}`);
  expect((await executed()).toSorted()).toEqual([...ids, ...afterwards].toSorted());
});

test('while a server is restarted, calls to it wait and calls to others do not', async () => {
  const { manager, clients, control, executed } = await open();
  control.hold();
  const restarted = manager.server('recorded').restart();
  await control.started(2);

  let settled = 0;
  const waiting = clients.map(async ({ name, client }) => {
    const outcome = await call(client, 'record', `waited for ${name}`);
    settled += 1;
    return outcome;
  });
  await othersAnswer(clients);
  expect(settled).toBe(0);

  control.release();
  await restarted;
  for (const { kind } of await Promise.all(waiting)) expect(kind).toBe('result');
  expect((await executed()).toSorted()).toEqual(clients.map(({ name }) => `waited for ${name}`).toSorted());
});

test('while a server that has died takes its time to start, calls to others do not wait', async () => {
  const { manager, clients, control } = await open();
  control.hold();
  process.kill(manager.server('recorded').status.pid as number, 'SIGKILL');
  await control.started(2);
  await othersAnswer(clients);
  control.release();
  await manager.server('recorded').start();
  for (const { name, client } of clients) expect((await call(client, 'record', name)).kind).toBe('result');
});

async function othersAnswer(clients: Opened['clients']): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    const texts = await Promise.all(clients.map(({ name, client }) => echo(client, `${name}, ${turn}`)));
    expect(texts).toEqual(clients.map(({ name }) => `${name}, ${turn}`));
  }
}

type Opened = Awaited<ReturnType<typeof open>>;

/** A gateway on loopback with a server that records its calls and another one, and a client of each generation. */
async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'restart-under-load-'));
  opened.push({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) });
  const file = join(folder, 'calls');
  const control = await openControl();
  const recorded = { command: process.execPath, args: [fixture, file, String(control.port)] };
  const manager = createClientManager({
    servers: [
      // Two deaths within two minutes are not the end of it, and nothing is refused because there is a lot to do.
      {
        name: 'recorded',
        autoStart: true,
        restart: { maxAttempts: 10 },
        limits: { startupTimeoutMs: 60_000 },
        ...recorded,
      },
      { name: 'other', autoStart: true, ...testServer('echo') },
    ],
  });
  const registry = createRegistry();
  const gateway = createGateway({ registry, upstreams: manager });
  opened.push(manager, registry, gateway);
  for (const server of manager.servers()) registry.attach(server);
  await manager.start();
  const http = await serveOnLoopback(toNodeListener(gateway.handler({ token })));
  opened.push({ [Symbol.asyncDispose]: () => http.close() });

  const clientErrors: Error[] = [];
  const clients: { readonly name: string; readonly client: Connected }[] = [];
  for (const generation of generations) {
    const connected = await connectHttp(`${http.origin}/mcp`, { token, generation });
    // A second response to one request would arrive here.
    connected.client.onerror = (error) => void clientErrors.push(error);
    opened.push(connected);
    clients.push({ name: generation, client: connected.client });
  }
  const executed = async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  return { manager, clients, control, executed, clientErrors };
}

/** Receives start requests and pending calls of the recording server. */
async function openControl() {
  const held: Socket[] = [];
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let isHolding = false;
  let starts = 0;
  const changed = () => {
    for (const wake of waiting.splice(0)) wake();
  };
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const server = createServer((socket) => {
    starts += 1;
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      lines.push(...String(text).split('\n'));
      changed();
    });
    socket.on('error', () => undefined); // its process was killed
    if (isHolding) held.push(socket);
    else socket.write('go\n');
    changed();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({ [Symbol.asyncDispose]: async () => void server.close() });
  return {
    port: (server.address() as AddressInfo).port,
    starts: () => starts,
    started: (count: number) => until(() => starts >= count),
    told: (ids: readonly string[]) => until(() => ids.every((id) => lines.includes(id))),
    hold: () => {
      isHolding = true;
    },
    release: () => {
      isHolding = false;
      for (const socket of held.splice(0)) socket.write('go\n');
    },
  };
}

async function call(client: Connected, tool: string, id: string): Promise<Outcome> {
  const answer = await client.callTool({ name: `mcp__recorded__${tool}`, arguments: { id } });
  const text = textOf(answer.content);
  if (answer.isError !== true) expect(text).toBe(id);
  else expect(text).toBe(lost);
  return { id, kind: answer.isError === true ? 'uncertain' : 'result' };
}

async function echo(client: Connected, text: string): Promise<string> {
  const { content, isError } = await client.callTool({ name: 'mcp__other__echo', arguments: { text } });
  expect(isError).not.toBe(true);
  return textOf(content);
}

function textOf(content: readonly unknown[]): string {
  return (content[0] as { readonly text: string }).text;
}
