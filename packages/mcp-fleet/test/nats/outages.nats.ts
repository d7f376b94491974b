import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { FleetBus } from '../../src/bus.js';
import { type NatsBusOptions, openNatsBus } from '../../src/nats.js';
import { bytes, eventOf, heard, idleWatcher, text, watched } from '../bus/bus-observers.js';
import { openRelay } from '../faults/held-relay.js';

let server: NatsServer;
const opened: FleetBus[] = [];

beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());
afterEach(async () => {
  server.resume();
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

async function connect(options: Partial<NatsBusOptions> = {}): Promise<FleetBus> {
  const bus = await openNatsBus({ servers: server.url, node: 'A', requestTimeoutMs: 1000, ...options });
  opened.push(bus);
  return bus;
}

test('a silent server fails pending requests as bus-down, and is used again when it replies', async () => {
  const bus = await connect();
  await server.pause();
  const outcomes = await Promise.allSettled([
    bus.bucket.put('k', bytes('1')),
    bus.bucket.get('k'),
    bus.bucket.delete('k'),
    bus.flush(),
  ]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'bus-down' } });
  server.resume();
  await bus.flush();
  await bus.bucket.put('k', bytes('2'));
});

test('a silent server counts as gone after some pings, and is reconnected to', async () => {
  const bus = await connect({ pingIntervalMs: 200, connectTimeoutMs: 1000 });
  const down = eventOf(bus, 'disconnected');
  await server.pause();
  await down;
  expect(bus.isConnected).toBe(false);
  const up = eventOf(bus, 'connected');
  server.resume();
  await up;
  await bus.flush();
});

test('a silent server that reads nothing counts as gone, too', async () => {
  const bus = await connect({ pingIntervalMs: 500 }); // so that it is there for all that is sent
  const down = eventOf(bus, 'disconnected');
  await server.pause();
  for (let sent = 0; sent < 32; sent += 1) bus.publish('x', new Uint8Array(bus.maxPayloadBytes));
  await down;
});

test('a message that arrives with the confirmation of its subscription can be replied to', async () => {
  const relay = await openRelay(server.port);
  relay.hold();
  const way = { servers: relay.url, mustConnect: false, connectTimeoutMs: 500, requestTimeoutMs: 5000 };
  const bus = await connect(way);
  bus.subscribe('question', ({ replyTo }) => bus.publish(replyTo ?? '', bytes('answer')));
  const requester = await connect({ node: 'B' });
  const answers = heard(requester, 'answers');
  const subscribed = relay.passes('SUB mcp-fleet.default.question ');
  relay.release();
  await subscribed;
  relay.hold();
  await relay.holds('PONG');
  requester.publish('question', bytes('?'), { replyTo: 'answers' });
  await relay.holds('MSG mcp-fleet.default.question ');
  const up = eventOf(bus, 'connected');
  relay.release();
  await up;
  bus.publish('answers', bytes('nothing else'));
  expect(text((await answers.next()).data)).toBe('answer');
});

test('a watch on a silent server ends with its signal, or with the server', async () => {
  const bus = await connect({ pingIntervalMs: 100 });
  await server.pause();
  const giveUp = new AbortController();
  const given = bus.bucket.watch(idleWatcher, { signal: giveUp.signal });
  const lost = bus.bucket.watch(idleWatcher);
  giveUp.abort(new Error('not wanted any more'));
  expect(await Promise.allSettled([given, lost])).toMatchObject([
    { reason: { message: 'not wanted any more' } },
    { reason: { code: 'bus-down' } },
  ]);
});

test('a bus closes while its server is silent', async () => {
  const bus = await connect();
  await server.pause();
  const waiting = bus.bucket.put('k', bytes('1'));
  const closing = bus.close();
  await expect(waiting).rejects.toMatchObject({ code: 'closed' });
  await closing;
});

test('opening times out with a silent server', async () => {
  await server.pause();
  await expect(connect({ connectTimeoutMs: 100 })).rejects.toMatchObject({ code: 'bus-down', retryable: true });
  const giveUp = new AbortController();
  const opening = connect({ signal: giveUp.signal });
  giveUp.abort(new Error('not wanted any more'));
  await expect(opening).rejects.toThrow('not wanted any more');
});

test('opening fails with the address when no server is reachable', async () => {
  await using gone = await startNatsServer();
  await gone.kill();
  const failure = await connect({ servers: gone.url }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'bus-down', retryable: true });
  expect(failure.message).toContain(gone.url);
});

test('a bus with mustConnect false starts disconnected with a reason, and connects when the server is there', async () => {
  await using late = await startNatsServer();
  await late.kill();
  const bus = await connect({ servers: late.url, mustConnect: false });
  expect(bus.isConnected).toBe(false);
  await expect(bus.bucket.get('k')).rejects.toMatchObject({
    code: 'bus-down',
    message: expect.stringContaining('refused'),
  });
  const inbox = heard(bus, 'x');
  const up = eventOf(bus, 'connected');
  await late.restart();
  await up;
  bus.publish('x', bytes('hello'));
  expect(text((await inbox.next()).data)).toBe('hello');
  await bus.bucket.put('k', bytes('1'));
});

test('the second of several servers is used when the first is gone', async () => {
  await using gone = await startNatsServer();
  await gone.kill();
  const bus = await connect({ servers: [gone.url, server.url] });
  await bus.flush();
});

test('a deleted bucket is recreated by the next write, and watches report everything again', async () => {
  const bus = await connect({ fleet: 'deleted', requestTimeoutMs: 5000, pingIntervalMs: 200 });
  await bus.bucket.put('k', bytes('1'));
  const watch = watched(bus);
  await watch.opened;
  watch.take();
  const { connect: connectRaw } = await import('@nats-io/transport-node');
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const raw = await connectRaw({ servers: server.url, reconnect: false });
  await (await jetstreamManager(raw)).streams.delete('KV_mcp-fleet_deleted');
  await raw.close();
  await bus.bucket.put('k', bytes('2'), { revision: 0 });
  await watch.until('current');
  expect(watch.take()).toEqual(['start', 'k=2', 'current']);
});

test('a server without JetStream is rejected with the remedy', async () => {
  await using plain = await startNatsServer({ jetstream: false });
  const failure = await connect({ servers: plain.url }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'unsuitable-bus', retryable: false });
  expect(failure.message).toMatch(/JetStream.*--jetstream/);
});

test('more replicas than servers are rejected', async () => {
  const failure = await connect({ fleet: 'replicated', replicas: 3 }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'unsuitable-bus' });
});

test('the bus has the smaller message limit of its server', async () => {
  await using small = await startNatsServer({ config: 'max_payload: 2048' });
  const bus = await connect({ servers: small.url });
  expect(bus.maxPayloadBytes).toBe(2048);
  expect(() => bus.publish('x', new Uint8Array(2049))).toThrow(expect.objectContaining({ code: 'message-too-large' }));
  await expect(bus.bucket.put('k', new Uint8Array(2048))).rejects.toMatchObject({ code: 'message-too-large' });
  await bus.bucket.put('k', new Uint8Array(1900));
  await bus.bucket.put('k', new Uint8Array(1900), { revision: 1 });
});
