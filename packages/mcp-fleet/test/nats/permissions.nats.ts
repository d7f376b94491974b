import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { BusEvent, FleetBus } from '../../src/bus.js';
import { natsAccountsConfig, natsPermissions, openNatsBus } from '../../src/nats.js';
import { bytes, eventOf, heard, text, watched } from '../bus/bus-observers.js';

const password = (node: string) => `"${node}\\ $1`;
const config = natsAccountsConfig({
  nodes: ['A', 'B', 'C'].map((node) => ({ node, user: `user-${node}`, password: password(node) })),
  administrator: { user: 'administrator', password: 'any' },
});

let server: NatsServer;
const opened: FleetBus[] = [];

beforeAll(async () => {
  server = await startNatsServer({ config });
});
afterAll(() => server.stop());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

async function connect(node: string, login = node): Promise<FleetBus> {
  const bus = await openNatsBus({ servers: server.url, node, user: `user-${login}`, password: password(login) });
  opened.push(bus);
  return bus;
}

describe('a node with the permissions of natsPermissions', () => {
  test('creates the bucket, writes its own keys, reads and watches all, and exchanges all messages', async () => {
    const [a, b] = [await connect('A'), await connect('B')];
    const forbidden: BusEvent[] = [];
    for (const bus of [a, b]) bus.onEvent((event) => forbidden.push(event));

    const revision = await a.bucket.put('lease.A', bytes('1'), { revision: 0 });
    await a.bucket.put('lease.A', bytes('2'), { revision });
    await a.bucket.put('server.A.files', bytes('files'));
    await b.bucket.put('singleton.files', bytes('B'), { revision: 0 });
    await expect(a.bucket.put('singleton.files', bytes('A'), { revision: 0 })).rejects.toMatchObject({
      code: 'conflict',
    });
    const watch = watched(b);
    await watch.opened;
    expect(text((await b.bucket.get('server.A.files'))?.value ?? bytes(''))).toBe('files');
    await a.bucket.delete('server.A.files');
    await watch.until('server.A.files gone');

    b.subscribe('call.B.>', ({ replyTo = '' }) => {
      for (const frame of ['accepted', 'progress', 'final']) b.publish(replyTo, bytes(frame));
    });
    b.subscribe('control.B.*', () => undefined);
    b.subscribe('define.B.*', ({ replyTo = '' }) => b.publish(replyTo, bytes('definition')));
    await b.flush();
    const inbox = heard(a, 'reply.A.>');
    a.publish('call.B.files.A', bytes('call'), { replyTo: 'reply.A.call.1.B' });
    expect((await inbox.take(3)).map(({ data }) => text(data))).toEqual(['accepted', 'progress', 'final']);
    a.publish('control.B.A', bytes('cancel'));
    a.publish('define.B.A', bytes('digest'), { replyTo: 'reply.A.define.2.B' });
    expect(text((await inbox.next()).data)).toBe('definition');
    const announced = heard(a, 'defined.*');
    await a.flush();
    b.publish('defined.B', bytes('definition'));
    expect(await announced.next()).toMatchObject({ subject: 'defined.B', data: bytes('definition') });
    a.publish('call.C.files.A', bytes('call'), { replyTo: 'reply.A.call.3.C' });
    expect(await inbox.next()).toMatchObject({ subject: 'reply.A.call.3.C', hasNoResponders: true });
    await Promise.all([a.flush(), b.flush()]);
    expect(forbidden).toEqual([]);
  });

  test('publishes replies whose last token is its own name, also without a recent request', async () => {
    const [a, b] = [await connect('A'), await connect('B')];
    const inbox = heard(a, 'reply.A.>');
    await a.flush();
    b.publish('reply.A.call.17.B', bytes('late'));
    expect(text((await inbox.next()).data)).toBe('late');
  });

  test.each(['lease.A', 'server.A.files', 'other'])('cannot write %s of another node', async (key) => {
    const b = await connect('B');
    const told = eventOf(b, 'forbidden');
    const failure = await b.bucket.put(key, bytes('mine')).catch((error) => error);
    expect(failure).toMatchObject({ code: 'forbidden', retryable: false });
    expect(failure.message).toContain(key);
    expect(await told).toEqual({ type: 'forbidden', operation: 'write', subject: key });
    await expect(b.bucket.delete(key)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('cannot delete keys of others with a rollup', async () => {
    const a = await connect('A');
    await a.bucket.put('lease.A', bytes('alive'));
    const { connect: connectRaw, headers } = await import('@nats-io/transport-node');
    const raw = await connectRaw({
      servers: server.url,
      user: 'user-B',
      pass: password('B'),
      inboxPrefix: '_INBOX_B',
      reconnect: false,
    });
    try {
      const rollup = headers();
      rollup.set('Nats-Rollup', 'all');
      const answer = await raw.request('$KV.mcp-fleet_default.lease.B', bytes(''), { headers: rollup, timeout: 5000 });
      expect(answer.json()).toMatchObject({ error: { description: expect.stringContaining('rollup') } });
    } finally {
      await raw.close();
    }
    expect(text((await a.bucket.get('lease.A'))?.value ?? bytes(''))).toBe('alive');
  });

  test.each(['call.A.>', 'control.A.*', 'define.A.*', 'reply.A.*', '>'])(
    'cannot subscribe to %s of another node',
    async (subject) => {
      const [a, b] = [await connect('A'), await connect('B')];
      const told = eventOf(b, 'forbidden');
      const overheard = heard(b, subject);
      expect(await told).toEqual({ type: 'forbidden', operation: 'subscribe', subject });
      a.publish('call.A.files.A', bytes('secret'));
      await a.flush();
      await b.flush();
      expect(overheard.all()).toEqual([]);
    },
  );

  test.each(['call.C.files.A', 'control.C.A', 'define.C.A', 'defined.C', 'reply.A.1', 'reply.A.call.1.C'])(
    'cannot publish on %s, in the name of another node',
    async (subject) => {
      const [a, b, c] = [await connect('A'), await connect('B'), await connect('C')];
      const heardByA = ['reply.A.>', 'defined.*'].map((subject) => heard(a, subject));
      const heardByC = ['call', 'control', 'define'].map((kind) => heard(c, `${kind}.C.>`));
      await Promise.all([a.flush(), c.flush()]);
      const told = eventOf(b, 'forbidden');
      b.publish(subject, bytes('forged'));
      expect(await told).toEqual({ type: 'forbidden', operation: 'publish', subject });
      await Promise.all([a.flush(), c.flush()]);
      expect([...heardByA, ...heardByC].flatMap((inbox) => inbox.all())).toEqual([]);
    },
  );

  test.each([
    { forged: 'call.C.files.A', pattern: 'call.C.>', later: 'call.C.files.C', mayListen: false },
    { forged: 'defined.A', pattern: 'defined.*', later: 'defined.C', mayListen: true },
  ])('cannot have the server send on $forged what it wrote as a key', async ({ forged, pattern, later, mayListen }) => {
    const [b, c] = [await connect('B'), await connect('C')];
    await b.bucket.put('server.B.forged', bytes('{"forged":true}'));
    const inbox = heard(c, pattern);
    await c.flush();
    const { connect: connectRaw } = await import('@nats-io/transport-node');
    const { AckPolicy, DeliverPolicy, jetstreamManager } = await import('@nats-io/jetstream');
    const raw = await connectRaw({
      servers: server.url,
      user: 'user-B',
      pass: password('B'),
      inboxPrefix: '_INBOX_B',
      reconnect: false,
    });
    try {
      // The server delivers to a subject that has a literal subscription, and then to all that listen there.
      const delivered = mayListen ? raw.subscribe(`mcp-fleet.default.${forged}`, { max: 1 }) : [];
      await raw.flush();
      const manager = await jetstreamManager(raw, { checkAPI: false });
      await manager.consumers.add('KV_mcp-fleet_default', {
        name: mayListen ? 'forger-of-definitions' : 'forger-of-calls',
        filter_subject: '$KV.mcp-fleet_default.server.B.forged',
        deliver_policy: DeliverPolicy.All,
        deliver_subject: `mcp-fleet.default.${forged}`,
        ack_policy: AckPolicy.None,
      });
      for await (const message of delivered) {
        expect(message.subject).toBe('$KV.mcp-fleet_default.server.B.forged');
      }
    } finally {
      await raw.close();
    }
    // A message of its own, later than what the server was made to send.
    await c.flush();
    c.publish(later, bytes('real'));
    expect(await inbox.next()).toMatchObject({ subject: later, data: bytes('real') });
  });

  test('fails at once when its name differs from its login', async () => {
    await expect(connect('A', 'B')).rejects.toMatchObject({ code: 'forbidden' });
  });
});

test('the permissions of a node are these', () => {
  expect(natsPermissions({ fleet: 'team', node: 'B' })).toEqual({
    publish: {
      allow: [
        'mcp-fleet.team.call.*.*.B',
        'mcp-fleet.team.control.*.B',
        'mcp-fleet.team.define.*.B',
        'mcp-fleet.team.defined.B',
        'mcp-fleet.team.reply.*.*.*.B',
        '$KV.mcp-fleet_team.lease.B',
        '$KV.mcp-fleet_team.server.B.>',
        '$KV.mcp-fleet_team.singleton.>',
        '$JS.API.STREAM.INFO.KV_mcp-fleet_team',
        '$JS.API.STREAM.CREATE.KV_mcp-fleet_team',
        '$JS.API.STREAM.MSG.GET.KV_mcp-fleet_team',
        '$JS.API.CONSUMER.CREATE.KV_mcp-fleet_team.>',
        '$JS.API.CONSUMER.INFO.KV_mcp-fleet_team.*',
        '$JS.FC.KV_mcp-fleet_team.>',
      ],
    },
    subscribe: {
      allow: [
        'mcp-fleet.team.call.B.>',
        'mcp-fleet.team.control.B.>',
        'mcp-fleet.team.define.B.>',
        'mcp-fleet.team.defined.*',
        'mcp-fleet.team.reply.B.>',
        '_INBOX_B.>',
      ],
    },
  });
});

test('with a domain, only its prefixes for keys and JetStream are allowed in addition', () => {
  const plain = natsPermissions({ fleet: 'team', node: 'B' });
  const { publish, subscribe } = natsPermissions({ fleet: 'team', node: 'B', domain: 'hub' });
  expect(subscribe).toEqual(plain.subscribe);
  expect(publish.allow.filter((subject) => !plain.publish.allow.includes(subject))).toEqual([
    '$JS.hub.API.$KV.mcp-fleet_team.lease.B',
    '$JS.hub.API.$KV.mcp-fleet_team.server.B.>',
    '$JS.hub.API.$KV.mcp-fleet_team.singleton.>',
    '$JS.hub.API.STREAM.INFO.KV_mcp-fleet_team',
    '$JS.hub.API.STREAM.CREATE.KV_mcp-fleet_team',
    '$JS.hub.API.STREAM.MSG.GET.KV_mcp-fleet_team',
    '$JS.hub.API.CONSUMER.CREATE.KV_mcp-fleet_team.>',
    '$JS.hub.API.CONSUMER.INFO.KV_mcp-fleet_team.*',
  ]);
});

test.each([
  [{ nodes: [{ node: 'a.b', user: 'u', password: 'p' }] }, /^nodes /],
  [{ nodes: [{ node: 'A', user: 'u', password: 'p\n' }] }, /nodes\[A\]\.password/],
  [{ nodes: [{ node: 'A', user: '', password: 'p' }] }, /nodes\[A\]\.user/],
  [{ nodes: [{ node: 'A', nkey: 'SUAB' }] }, /nodes\[A\]\.nkey/],
  [
    {
      nodes: [
        { node: 'A', user: 'u', password: 'p' },
        { node: 'A', user: 'v', password: 'p' },
      ],
    },
    /got node A twice/,
  ],
  [{ fleet: 'a b', nodes: [] }, /^fleet /],
] as const)('accounts that make no sense are refused: %j', (options, message) => {
  expect(() => natsAccountsConfig(options)).toThrow(message);
  expect(() => natsAccountsConfig(options)).toThrow(TypeError);
});
