import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreedHolder } from './agreed-holder.js';
import { type HostEvent, type HostProcess, startHost } from './host-process.js';
import { kindsOfPartition, type Tie } from './partitions.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';

const SERVER = 'jobs';
/** Its name at a host that does not have it itself. */
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

interface TiedHost {
  readonly host: HostProcess;
  readonly tie: Tie;
}

describe.each(kinds)('FLT-03: hosts that are parted by $name', ({ name, tie: tieTo }) => {
  async function join(fleet: string, hosts: readonly string[]): Promise<readonly TiedHost[]> {
    const joined: TiedHost[] = [];
    for (const host of hosts) {
      const tie = await tieTo(server);
      const bus = { servers: tie.url, fleet, pingIntervalMs: 500 };
      joined.push({ tie, host: startHost(host, { bus, sources, namespace: tie.namespace }) });
    }
    for (const { host } of joined) {
      // The others see the lease of a host before the bus confirms it. A host that is parted in between does not beat.
      await host.event('joined');
      await host.ask({ do: 'until-hosts', count: hosts.length });
    }
    return joined;
  }

  test('never run a server twice that runs once: it is stopped on the one side before the other starts it', async () => {
    const all = await join(`rounds-${kinds.findIndex((kind) => kind.name === name)}`, ['a', 'b', 'c']);
    const hosts = all.map(({ host }) => host);
    let holder = await agreedHolder(hosts, SERVER);
    for (const _round of [1, 2]) {
      const parted = all.find(({ host }) => host === holder) as TiedHost;
      const others = hosts.filter((host) => host !== holder);
      const marks = new Map(hosts.map((host) => [host, host.mark()]));
      const after = (host: HostProcess) => ({ after: marks.get(host) ?? 0 });
      await parted.tie.part();

      const lost = await holder.event('singleton-state', { server: SERVER, holder: undefined }, after(holder));
      const stopped = await holder.event('stopped', { server: SERVER }, after(holder));
      await expect(holder.call(SERVER, 'who')).rejects.toMatchObject({ code: 'host-unreachable', retryable: true });
      expect(await holder.call('own', 'who')).toBe(holder.name);
      const next = await agreedHolder(others, SERVER);
      const taken = await Promise.race(
        others.map((host) => host.event('singleton-state', { server: SERVER, holder: host.name }, after(host))),
      );
      expect(Math.max(lost.atMs, stopped.atMs)).toBeLessThan(taken.atMs);
      for (const host of others) expect(await whoRuns(host)).toBe(next.name);

      await parted.tie.heal();
      expect((await agreedHolder(hosts, SERVER)).name).toBe(next.name);
      await holder.ask({ do: 'until-tools', source: SERVER, count: SCRIPTED_TOOLS });
      expect(await whoRuns(holder)).toBe(next.name);
      holder = next;
    }
    expectOneAtATime(hosts);
  });

  test('run it nowhere while nobody reaches the broker, and once when all do again', async () => {
    const all = await join(`all-${kinds.findIndex((kind) => kind.name === name)}`, ['a', 'b']);
    const hosts = all.map(({ host }) => host);
    const holder = await agreedHolder(hosts, SERVER);
    const marks = new Map(hosts.map((host) => [host, host.mark()]));
    await Promise.all(all.map(({ tie }) => tie.part()));
    await holder.event('stopped', { server: SERVER }, { after: marks.get(holder) ?? 0 });
    for (const host of hosts) {
      await host.event('singleton-state', { server: SERVER, holder: undefined }, { after: marks.get(host) ?? 0 });
      await host.ask({ do: 'until-beats', count: (await host.ask<number>({ do: 'beats' })) + 3 });
      await expect(host.call(SERVER, 'who')).rejects.toMatchObject({ code: 'host-unreachable' });
    }
    const healed = new Map(hosts.map((host) => [host, host.mark()]));
    await Promise.all(all.map(({ tie }) => tie.heal()));
    await Promise.all(
      hosts.map(async (host) => {
        await host.event('joined', {}, { after: healed.get(host) ?? 0 });
        await host.ask({ do: 'until-tools', source: SERVER, count: SCRIPTED_TOOLS });
      }),
    );
    const next = await agreedHolder(hosts, SERVER);
    for (const host of hosts) expect(await whoRuns(host)).toBe(next.name);
    expectOneAtATime(hosts);
  });
});

describe('FLT-03: a host that stands still while it holds a server that runs once', () => {
  test('runs nothing of what was asked of it meanwhile', async () => {
    // Long enough that the call is under way before the lease of a host that stands still is over.
    const plan = { bus: { servers: server.url, fleet: 'still' }, heartbeatMs: 1_000 };
    const edge = startHost('edge', plan);
    const a = startHost('a', { ...plan, sources });
    await a.event('singleton-state', { server: SERVER, holder: 'a' });
    const b = startHost('b', { ...plan, sources });
    await edge.ask({ do: 'until-hosts', count: 3 });
    await edge.ask({ do: 'until-tools', source: SHARED, count: SCRIPTED_TOOLS });
    expect(await edge.ask({ do: 'call', source: SHARED, tool: 'who', args: { mark: 'before' } })).toBe('a');

    await a.pause();
    const stopped = a.mark();
    const failure = await edge.call(SHARED, 'who', { mark: 'meanwhile' }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'host-unreachable', retryable: false });
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
async function whoRuns(host: HostProcess): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await host.call(SERVER, 'who');
    } catch (error) {
      if (attempt === 5 || !(error as { readonly retryable?: boolean }).retryable) throw error;
      await host.ask({ do: 'until-beats', count: (await host.ask<number>({ do: 'beats' })) + 1 });
    }
  }
}

interface Interval {
  readonly host: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Of all times at which a host took itself for the one that holds it, no two overlap: one machine, one clock. */
function expectOneAtATime(hosts: readonly HostProcess[]): void {
  const held = hosts.flatMap((host) => intervals(host.name, host.all('singleton-state', { server: SERVER })));
  const inOrder = held.toSorted((x, y) => x.fromMs - y.fromMs);
  expect(inOrder.length).toBeGreaterThan(1);
  const overlapping = inOrder.filter((interval, index) => {
    const next = inOrder[index + 1];
    return next !== undefined && next.fromMs < interval.untilMs;
  });
  expect(overlapping).toEqual([]);
}

function intervals(host: string, changes: readonly HostEvent[]): readonly Interval[] {
  return changes.flatMap(({ detail, atMs }, index) => {
    const untilMs = changes[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    return detail.holder === host ? [{ host, fromMs: atMs, untilMs }] : [];
  });
}
