import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { KEYS, tapWire } from './wire-tap.js';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

const PROCESSES = 4;
const NODES_PER_PROCESS = 5;
const TOOLS = 100;
const names = Array.from(
  { length: PROCESSES * NODES_PER_PROCESS },
  (_, index) => `node-${String(index).padStart(2, '0')}`,
);

describe('20 nodes with 100 tools each', () => {
  test('see all tools of one another, and send only heartbeats when nothing happens', async () => {
    const bus = { servers: server.url };
    const sources = [{ name: 'files', tools: TOOLS - SCRIPTED_TOOLS }];
    const processes = Array.from({ length: PROCESSES }, (_, index) => {
      const nodes = names.slice(index * NODES_PER_PROCESS, (index + 1) * NODES_PER_PROCESS);
      return { nodes, process: startNode(nodes, { bus, sources, heartbeatMs: 1_000 }) };
    });
    const all = processes.flatMap(({ nodes, process }) => nodes.map((node) => ({ node, process })));
    await Promise.all(
      all.flatMap(({ node, process }) =>
        names
          .filter((name) => name !== node)
          .map((name) => process.ask({ do: 'until-tools', source: `files@${name}`, count: TOOLS }, node)),
      ),
    );
    expect(await all[0]?.process.ask({ do: 'call', source: 'files@node-19', tool: 'who' })).toBe('node-19');

    const beatsOf = () => Promise.all(all.map(({ node, process }) => process.ask<number>({ do: 'beats' }, node)));
    const wire = await tapWire(server, ['mcp-fleet.>', `${KEYS}>`, '$JS.API.>']);
    const before = await beatsOf();
    await Promise.all(
      all.map(({ node, process }, index) => process.ask({ do: 'until-beats', count: (before[index] ?? 0) + 3 }, node)),
    );
    const after = await beatsOf();
    await wire.nats.flush();
    const messages = wire.take();
    const others = messages.filter(({ subject }) => !subject.startsWith(`${KEYS}lease.`));
    expect(others.map(({ subject }) => subject)).toEqual([]);
    const beats = after.reduce((sum, count, index) => sum + count - (before[index] ?? 0), 0);
    expect(messages.length).toBeLessThanOrEqual(beats + names.length); // one of each was maybe under way
    expect(messages.length).toBeGreaterThanOrEqual(2 * names.length);
    // However many tools a node has, its beats say nothing of them.
    expect(Math.max(...messages.map(({ data }) => data.length))).toBeLessThan(512);
  });
});
