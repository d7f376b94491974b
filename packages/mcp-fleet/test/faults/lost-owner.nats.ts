import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { SUBJECTS, tapWire, type WireTap } from './wire-tap.js';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

describe('a node that is killed', () => {
  test('fails its calls within its lease, and its tools are hidden everywhere after three heartbeats', async () => {
    const bus = { servers: server.url };
    const owner = startNode('owner', { bus, sources: [{ name: 'files' }] });
    const edges = ['b', 'c'].map((name) => startNode(name, { bus, sources: [{ name: 'own' }] }));
    const [b = owner, c = owner] = edges;
    for (const edge of edges) await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS });
    await b.ask({ do: 'until-tools', source: 'own@c', count: SCRIPTED_TOOLS });
    await c.ask({ do: 'until-tools', source: 'own@b', count: SCRIPTED_TOOLS });
    const wire = await tapWire(server, [`${SUBJECTS}reply.b.call.>`]);
    const underWay = b.call('files@owner', 'hang').catch((error) => error);
    await wire.message(({ data }) => data[0] === 'A'.charCodeAt(0)); // "accepted"
    const beats = await Promise.all(edges.map((edge) => edge.ask<number>({ do: 'beats' })));

    await owner.kill();
    expect(await underWay).toMatchObject({ code: 'outcome-unknown', retryable: false });
    const isRunning = { state: 'running', tools: SCRIPTED_TOOLS };
    for (const [index, edge] of edges.entries()) {
      const lost = await edge.event('node-state', { node: 'owner', state: 'unreachable' });
      // Three, and one that was due when it was killed.
      expect(lost.beats - (beats[index] ?? 0)).toBeLessThanOrEqual(4);
      expect(await edge.ask({ do: 'sources' })).toEqual({
        'files@owner': { state: 'unreachable', tools: 0 },
        own: isRunning,
        [edge === b ? 'own@c' : 'own@b']: isRunning,
      });
      expect(await edge.ask({ do: 'status' })).toMatchObject({
        phase: 'joined',
        nodes: expect.arrayContaining([expect.objectContaining({ node: 'owner', state: 'unreachable' })]),
      });
      expect(await edge.call('files@owner', 'who').catch((error) => error)).toMatchObject({ code: 'node-unreachable' });
    }
    expect(await c.call('own@b', 'who')).toBe('b');
  });

  test('fails new calls at once, however long its lease lasts, and gets its name back at once', async () => {
    const bus = { servers: server.url, fleet: 'slow' };
    const plan = { bus, heartbeatMs: 60_000 };
    const owner = startNode('owner', { ...plan, sources: [{ name: 'files', tools: 3 }] });
    const edge = startNode('edge', plan);
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS + 3 });
    const wire = await tapWire(server, []);
    await owner.kill();
    await untilGone(wire, 'slow', 'owner');
    expect(await edge.call('files@owner', 'who').catch((error) => error)).toMatchObject({
      code: 'node-unreachable',
      retryable: true,
    });
    startNode('owner', { ...plan, sources: [{ name: 'files', tools: 1 }] });
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS + 1 });
    expect(await edge.call('files@owner', 'who')).toBe('owner');
  });
});

describe('a node that was busy, or stood still, for longer than a lease lasts', () => {
  test.each(['busy', 'still'])('does not take the others for gone, which have beaten all the time: %s', async (how) => {
    const bus = { servers: server.url, fleet: how };
    const owner = startNode('owner', { bus, sources: [{ name: 'files' }] });
    const edge = startNode('edge', { bus });
    await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS });
    await edge.event('joined');
    const call = edge.call('files@owner', 'hang').catch((error) => error);
    await owner.event('called', { tool: 'hang' });
    if (how === 'busy') {
      await edge.ask({ do: 'block', forMs: 5 * 500 });
    } else {
      await edge.pause();
      await owner.ask({ do: 'until-beats', count: (await owner.ask<number>({ do: 'beats' })) + 5 });
      edge.resume();
    }
    await edge.ask({ do: 'until-beats', count: (await edge.ask<number>({ do: 'beats' })) + 2 });
    expect(edge.all('node-state', { state: 'unreachable' })).toEqual([]);
    expect(await edge.call('files@owner', 'who')).toBe('owner');
    await owner.kill();
    expect(await call).toBeInstanceOf(Error);
  });
});

/** Waits until the server has dropped the node's subscriptions. */
async function untilGone({ nats }: WireTap, fleet: string, node: string): Promise<void> {
  const subject = `${SUBJECTS.replace('default', fleet)}define.${node}.tap`;
  for (;;) {
    const failure = await nats.request(subject, '', { timeout: 1_000 }).catch((error) => error);
    if (String(failure).includes('no responders')) return;
  }
}
