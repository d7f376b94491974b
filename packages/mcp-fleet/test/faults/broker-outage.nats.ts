import { startNatsServer } from '@x/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openProxy } from '../bus/cuttable-proxy.js';
import { type NodeProcess, startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { KEYS, tapWire } from './wire-tap.js';

const HEARTBEAT_MS = 500;
/** Beats without a broker. */
const OUTAGE_BEATS = 8;
const TOOLS = 5;
const SERVERS = ['files', 'git', 'web'];

describe('while the broker is down', () => {
  test('each node keeps using its own servers, and publishes them exactly once when the broker is back', async () => {
    const server = await startNatsServer();
    const proxy = await openProxy(server.port);
    onTestFinished(async () => {
      await proxy[Symbol.asyncDispose]();
      await server.stop();
    });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const sources = SERVERS.map((name) => ({ name, tools: TOOLS }));
    const nodes = names.map((name) =>
      startNode(name, { bus: { servers: proxy.url }, heartbeatMs: HEARTBEAT_MS, sources }),
    );
    for (const node of nodes) await untilAllKnown(node, names);

    const marks = nodes.map((node) => node.mark());
    proxy.cut();
    await server.kill();
    await Promise.all(
      nodes.map(async (node, index) => {
        const after = marks[index] ?? 0;
        await node.event('bus-state', { isConnected: false }, { after });
        const other = node.name === 'a' ? 'b' : 'a';
        await node.ask({ do: 'until-beats', count: (await node.ask<number>({ do: 'beats' })) + OUTAGE_BEATS });
        await node.ask({ do: 'until-nodes', count: 1 });
        expect(await node.call('files', 'who')).toBe(node.name);
        await expect(node.call(`files@${other}`, 'who')).rejects.toMatchObject({ code: 'node-unreachable' });
        expect(await node.ask({ do: 'status' })).toMatchObject({ phase: 'cut-off', isBusConnected: false });
      }),
    );

    await server.restart();
    const wire = await tapWire(server, [`${KEYS}>`]);
    proxy.heal();
    const back = nodes.map((node, index) => node.event('joined', {}, { after: marks[index] ?? 0 }));
    await Promise.all(back);
    for (const node of nodes) await untilAllKnown(node, names);
    // A second publication would follow within some heartbeats.
    for (const node of nodes) {
      await node.ask({ do: 'until-beats', count: (await node.ask<number>({ do: 'beats' })) + 3 });
    }
    await wire.nats.flush();
    const told = wire.messages.map(({ subject }) => subject.slice(KEYS.length));
    const wanted = names.flatMap((name) => SERVERS.map((one) => `server.${name}.${one}`));
    expect(told.filter((key) => key.startsWith('server.')).toSorted()).toEqual(wanted);

    // Not all at once: from the first node to the last it takes a part of a heartbeat, and more on a machine that is busy.
    const times = (await Promise.all(back)).map(({ atMs }) => atMs);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(HEARTBEAT_MS / 50);
    expect(await nodes[0]?.call('files@b', 'who')).toBe('b');
  });
});

/** Waits until the node knows all tools of all others. */
async function untilAllKnown(node: NodeProcess, names: readonly string[]): Promise<void> {
  await node.ask({ do: 'until-nodes', count: names.length });
  for (const name of names.filter((other) => other !== node.name)) {
    for (const one of SERVERS) {
      await node.ask({ do: 'until-tools', source: `${one}@${name}`, count: SCRIPTED_TOOLS + TOOLS });
    }
  }
}
