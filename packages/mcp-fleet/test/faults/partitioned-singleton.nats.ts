import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreedHolder } from './agreed-holder.js';
import { type NodeEvent, type NodeProcess, startNode } from './node-process.js';
import { kindsOfPartition, type Tie } from './partitions.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';

const SERVER = 'jobs';
/** Its name at a node that does not have it itself. */
const SHARED = `${SERVER}@fleet`;
const sources = [
  { name: SERVER, placement: 'singleton' },
  { name: 'own', placement: 'local' },
] as const;
const kinds = await kindsOfPartition();

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

interface TiedNode {
  readonly node: NodeProcess;
  readonly tie: Tie;
}

describe.each(kinds)('nodes that are parted by $name', ({ name, tie: tieTo }) => {
  async function join(fleet: string, nodes: readonly string[]): Promise<readonly TiedNode[]> {
    const joined: TiedNode[] = [];
    for (const node of nodes) {
      const tie = await tieTo(server);
      const bus = { servers: tie.url, fleet, pingIntervalMs: 500 };
      joined.push({ tie, node: startNode(node, { bus, sources, namespace: tie.namespace }) });
    }
    for (const { node } of joined) {
      // The others see the lease of a node before the bus confirms it. A node that is parted in between does not beat.
      await node.event('joined');
      await node.ask({ do: 'until-nodes', count: nodes.length });
    }
    return joined;
  }

  test('never run a singleton twice', async () => {
    const all = await join(`rounds-${kinds.findIndex((kind) => kind.name === name)}`, ['a', 'b', 'c']);
    const nodes = all.map(({ node }) => node);
    let holder = await agreedHolder(nodes, SERVER);
    for (const _round of [1, 2]) {
      const parted = all.find(({ node }) => node === holder) as TiedNode;
      const others = nodes.filter((node) => node !== holder);
      const marks = new Map(nodes.map((node) => [node, node.mark()]));
      const after = (node: NodeProcess) => ({ after: marks.get(node) ?? 0 });
      await parted.tie.part();

      const lost = await holder.event('singleton-state', { server: SERVER, holder: undefined }, after(holder));
      const stopped = await holder.event('stopped', { server: SERVER }, after(holder));
      await expect(holder.call(SERVER, 'who')).rejects.toMatchObject({ code: 'node-unreachable', retryable: true });
      expect(await holder.call('own', 'who')).toBe(holder.name);
      const next = await agreedHolder(others, SERVER);
      const taken = await Promise.race(
        others.map((node) => node.event('singleton-state', { server: SERVER, holder: node.name }, after(node))),
      );
      expect(Math.max(lost.atMs, stopped.atMs)).toBeLessThan(taken.atMs);
      for (const node of others) expect(await whoRuns(node)).toBe(next.name);

      await parted.tie.heal();
      expect((await agreedHolder(nodes, SERVER)).name).toBe(next.name);
      await holder.ask({ do: 'until-tools', source: SERVER, count: SCRIPTED_TOOLS });
      expect(await whoRuns(holder)).toBe(next.name);
      holder = next;
    }
    expectOneAtATime(nodes);
  });

  test('run it nowhere while the broker is unreachable, and once when all reach it again', async () => {
    const all = await join(`all-${kinds.findIndex((kind) => kind.name === name)}`, ['a', 'b']);
    const nodes = all.map(({ node }) => node);
    const holder = await agreedHolder(nodes, SERVER);
    const marks = new Map(nodes.map((node) => [node, node.mark()]));
    await Promise.all(all.map(({ tie }) => tie.part()));
    await holder.event('stopped', { server: SERVER }, { after: marks.get(holder) ?? 0 });
    for (const node of nodes) {
      await node.event('singleton-state', { server: SERVER, holder: undefined }, { after: marks.get(node) ?? 0 });
      await node.ask({ do: 'until-beats', count: (await node.ask<number>({ do: 'beats' })) + 3 });
      await expect(node.call(SERVER, 'who')).rejects.toMatchObject({ code: 'node-unreachable' });
    }
    const healed = new Map(nodes.map((node) => [node, node.mark()]));
    await Promise.all(all.map(({ tie }) => tie.heal()));
    await Promise.all(
      nodes.map(async (node) => {
        await node.event('joined', {}, { after: healed.get(node) ?? 0 });
        await node.ask({ do: 'until-tools', source: SERVER, count: SCRIPTED_TOOLS });
      }),
    );
    const next = await agreedHolder(nodes, SERVER);
    for (const node of nodes) expect(await whoRuns(node)).toBe(next.name);
    expectOneAtATime(nodes);
  });
});

describe('a node that stands still while it holds a singleton', () => {
  test('runs no call that it received meanwhile', async () => {
    // Long enough that the call is under way before the lease of a node that stands still is over.
    const plan = { bus: { servers: server.url, fleet: 'still' }, heartbeatMs: 1_000 };
    const edge = startNode('edge', plan);
    const a = startNode('a', { ...plan, sources });
    await a.event('singleton-state', { server: SERVER, holder: 'a' });
    const b = startNode('b', { ...plan, sources });
    await edge.ask({ do: 'until-nodes', count: 3 });
    await edge.ask({ do: 'until-tools', source: SHARED, count: SCRIPTED_TOOLS });
    expect(await edge.ask({ do: 'call', source: SHARED, tool: 'who', args: { mark: 'before' } })).toBe('a');

    await a.pause();
    const stopped = a.mark();
    const failure = await edge.call(SHARED, 'who', { mark: 'meanwhile' }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'outcome-unknown', retryable: false });
    await edge.event('singleton-state', { server: SERVER, holder: 'b' });
    expect(await edge.call(SHARED, 'who', { mark: 'after' })).toBe('b');
    a.resume();
    await a.event('singleton-state', { server: SERVER, holder: 'b' }, { after: stopped });
    await a.event('stopped', { server: SERVER }, { after: stopped });
    expect(await a.call(SERVER, 'who', { mark: 'last' })).toBe('b');
    expect(a.all('called').map(({ detail }) => detail.mark)).toEqual(['before']);
    expect(b.all('called').map(({ detail }) => detail.mark)).toEqual(['after', 'last']);
  });
});

/** Where the server runs. While its beats come back late, the holder refuses calls, and says that they may be made again. */
async function whoRuns(node: NodeProcess): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await node.call(SERVER, 'who');
    } catch (error) {
      if (attempt === 5 || !(error as { readonly retryable?: boolean }).retryable) throw error;
      await node.ask({ do: 'until-beats', count: (await node.ask<number>({ do: 'beats' })) + 1 });
    }
  }
}

interface Interval {
  readonly node: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Of all times at which a node took itself for the one that holds it, no two overlap: one machine, one clock. */
function expectOneAtATime(nodes: readonly NodeProcess[]): void {
  const held = nodes.flatMap((node) => intervals(node.name, node.all('singleton-state', { server: SERVER })));
  const inOrder = held.toSorted((x, y) => x.fromMs - y.fromMs);
  expect(inOrder.length).toBeGreaterThan(1);
  const overlapping = inOrder.filter((interval, index) => {
    const next = inOrder[index + 1];
    return next !== undefined && next.fromMs < interval.untilMs;
  });
  expect(overlapping).toEqual([]);
}

function intervals(node: string, changes: readonly NodeEvent[]): readonly Interval[] {
  return changes.flatMap(({ detail, atMs }, index) => {
    const untilMs = changes[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    return detail.holder === node ? [{ node, fromMs: atMs, untilMs }] : [];
  });
}
