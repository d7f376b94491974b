import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreedHolder } from './agreed-holder.js';
import { type NodeProcess, startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

const MINUTE_MS = 60_000;
const heartbeatMs = 1_000;

describe('nodes whose clocks differ by minutes', () => {
  test('keep each other alive, accept principals, and hand over singletons', async () => {
    const bus = { servers: server.url };
    const sources = [{ name: 'files' }, { name: 'jobs', placement: 'singleton' as const }];
    const offsets = { early: 17 * MINUTE_MS, late: -23 * MINUTE_MS, right: 0 };
    const nodes = Object.entries(offsets).map(([name, clockOffsetMs]) =>
      startNode(name, { bus, sources, clockOffsetMs, heartbeatMs }),
    );
    await expectAllCalled(nodes);
    await Promise.all(
      nodes.map(async (node) => {
        await node.ask({ do: 'until-beats', count: (await node.ask<number>({ do: 'beats' })) + 4 });
      }),
    );
    for (const node of nodes) expect(node.all('node-state', { state: 'unreachable' })).toEqual([]);

    const first = await agreedHolder(nodes, 'jobs');
    for (const node of nodes) {
      await node.ask({ do: 'until-tools', source: 'jobs', count: SCRIPTED_TOOLS });
      expect(await node.call('jobs', 'who')).toBe(first.name);
    }
    const rest = nodes.filter((node) => node !== first);
    const [beats] = await Promise.all(rest.map((node) => node.ask<number>({ do: 'beats' })));
    await first.kill();
    const lost = await rest[0]?.event('node-state', { node: first.name, state: 'unreachable' });
    expect((lost?.beats ?? Number.POSITIVE_INFINITY) - (beats ?? 0)).toBeLessThanOrEqual(4);
    const next = await agreedHolder(rest, 'jobs');
    for (const node of rest) expect(await node.call('jobs', 'who')).toBe(next.name);
    await expectAllCalled(rest);
  });

  test('see a node again that comes back with a clock far behind', async () => {
    const bus = { servers: server.url, fleet: 'back' };
    const edge = startNode('edge', { bus });
    for (const [tools, end] of [
      [1, 'leave'],
      [2, 'kill'],
      [3, 'kill'],
    ] as const) {
      const node = startNode('moving', {
        bus,
        sources: [{ name: 'files', tools }],
        clockOffsetMs: -tools * 10 * MINUTE_MS,
      });
      await edge.ask({ do: 'until-tools', source: 'files@moving', count: SCRIPTED_TOOLS + tools });
      expect(await edge.call('files@moving', 'who')).toBe('moving');
      if (end === 'leave') await node.ask({ do: 'leave' });
      else await node.kill();
    }
  });

  test('keep calling each other while one clock is set back and forth by minutes', async () => {
    const bus = { servers: server.url, fleet: 'set' };
    const sources = [{ name: 'files' }];
    const nodes = ['a', 'b'].map((name) => startNode(name, { bus, sources, heartbeatMs }));
    const [a = nodes[1]] = nodes;
    await expectAllCalled(nodes);
    for (const offsetMs of [30 * MINUTE_MS, -30 * MINUTE_MS, 0]) {
      await a?.ask({ do: 'set-clock', offsetMs });
      await expectAllCalled(nodes);
    }
    for (const node of nodes) expect(node.all('node-state', { state: 'unreachable' })).toEqual([]);
  });
});

/** Each calls each. */
async function expectAllCalled(nodes: readonly NodeProcess[]): Promise<void> {
  for (const node of nodes) {
    for (const { name } of nodes) {
      if (name === node.name) continue;
      await node.ask({ do: 'until-tools', source: `files@${name}`, count: SCRIPTED_TOOLS });
      expect(await node.call(`files@${name}`, 'who')).toBe(name);
    }
  }
}
