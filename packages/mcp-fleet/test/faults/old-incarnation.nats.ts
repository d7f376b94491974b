import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRelay } from './held-relay.js';
import { type NodeProcess, startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { KEYS, SUBJECTS, tapWire } from './wire-tap.js';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

/** What happens with this one happens for another reason than the end of a lease. */
const SLOW_HEARTBEAT_MS = 60_000;

describe('messages of an earlier incarnation', () => {
  test('rejects a call that was delayed on the way', async () => {
    const relay = await openRelay(server.port);
    const owner = startNode('owner', { bus: { servers: server.url }, sources: [{ name: 'files' }] });
    const before = startNode('edge', { bus: { servers: relay.url } });
    await before.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS });
    await before.event('joined');
    const wire = await tapWire(server, [`${SUBJECTS}call.>`, `${SUBJECTS}reply.>`]);
    relay.hold();
    void before.ask({ do: 'call', source: 'files@owner', tool: 'who', args: { mark: 'old' } }).catch(() => undefined);
    await relay.holds('call.owner.files.edge');
    await before.kill();

    const after = startNode('edge', { bus: { servers: server.url } });
    await after.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS });
    expect(await after.call('files@owner', 'who', { mark: 'new' })).toBe('owner');
    wire.take();
    relay.release();
    // The tap may still report the new call.
    const late = await wire.message((message) => message.string().includes('"old"'));
    const reply = await wire.message(({ subject }) => subject === late.reply);
    expect(reply.string()).toMatch(/^E.*"refused"/);
    expect(owner.all('called').map(({ detail }) => detail.mark)).toEqual(['new']);
  });

  test('does not run a call in the next incarnation of its node', async () => {
    const bus = { servers: server.url, fleet: 'next' };
    const relay = await openRelay(server.port);
    const edge = startNode('edge', {
      bus: { ...bus, servers: relay.url, pingIntervalMs: 60_000 },
      heartbeatMs: SLOW_HEARTBEAT_MS,
    });
    const owner = startNode('owner', { bus, sources: [{ name: 'files' }], heartbeatMs: SLOW_HEARTBEAT_MS });
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS });
    await edge.event('joined');
    relay.hold();
    const call = edge.call('files@owner', 'who', { mark: 'old' }).catch((error) => error);
    await relay.holds('call.owner.files.edge');
    await owner.kill();
    const sources = [{ name: 'files', tools: 1 }]; // one more than before, which identifies the incarnation
    const next = startNode('owner', { bus, sources, heartbeatMs: SLOW_HEARTBEAT_MS });
    await next.event('joined');
    relay.release();
    expect(await call).toMatchObject({ code: 'outcome-unknown' });
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS + 1 });
    expect(await edge.call('files@owner', 'who', { mark: 'new' })).toBe('owner');
    expect(next.all('called').map(({ detail }) => detail.mark)).toEqual(['new']);
  });

  test('fails a call at once when its node is back, though its lease would not be over', async () => {
    const bus = { servers: server.url, fleet: 'back' };
    const plan = { bus, sources: [{ name: 'files' }], heartbeatMs: SLOW_HEARTBEAT_MS };
    const owner = startNode('owner', plan);
    const edge = startNode('edge', { bus, heartbeatMs: SLOW_HEARTBEAT_MS });
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS });
    const wire = await tapWire(server, ['mcp-fleet.back.call.>', 'mcp-fleet.back.reply.>']);
    const call = edge.call('files@owner', 'hang').catch((error) => error);
    await wire.message(({ subject }) => subject.startsWith('mcp-fleet.back.reply.edge.call.')); // "accepted"
    await owner.kill();
    startNode('owner', { ...plan, sources: [{ name: 'files', tools: 1 }] });
    expect(await call).toMatchObject({ code: 'outcome-unknown' });
    // A delayed reply of the earlier incarnation, for a call that has ended.
    const { reply = '' } = await wire.message(({ subject }) => subject.endsWith('.files.edge'));
    wire.nats.publish(reply, 'F{"content":[{"type":"text","text":"late"}]}');
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS + 1 });
    expect(await edge.call('files@owner', 'who')).toBe('owner');
  });

  test('changes nothing when it is what the node had offered; who joins later sees what it offers now, too', async () => {
    const bus = { servers: server.url, fleet: 'records' };
    const key = `${KEYS.replace('default', 'records')}server.owner.files`;
    const wire = await tapWire(server, [key]);
    const heartbeatMs = SLOW_HEARTBEAT_MS;
    const plan = (tools: number) => ({ bus, sources: [{ name: 'files', tools }], heartbeatMs });
    const edge = startNode('edge', { bus, heartbeatMs });
    const before = startNode('owner', plan(7));
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS + 7 });
    const old = await wire.message(({ subject }) => subject === key);
    await before.kill();
    startNode('owner', plan(1));
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS + 1 });
    const mark = edge.mark();
    wire.take();
    wire.nats.publish(key, old.data);
    // The owner finds it, and puts right what the bucket says.
    await wire.message(({ data }) => incarnationOf(data) > incarnationOf(old.data));
    const late = startNode('late', { bus, heartbeatMs });
    await late.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS + 1 });
    await edge.event('node-state', { node: 'late' }, { after: mark }); // after all that came before
    expect(await toolsAt(edge)).toBe(SCRIPTED_TOOLS + 1);
    expect(edge.all('sources-changed').filter((event) => edge.events.indexOf(event) >= mark)).toEqual([]);
  });
});

function incarnationOf(record: Uint8Array): number {
  return JSON.parse(new TextDecoder().decode(record)).incarnation;
}

async function toolsAt(edge: NodeProcess): Promise<number | undefined> {
  const sources = await edge.ask<Record<string, { readonly tools: number }>>({ do: 'sources' });
  return sources['files@owner']?.tools;
}
