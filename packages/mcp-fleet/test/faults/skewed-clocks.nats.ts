import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreedHolder } from './agreed-holder.js';
import { type HostProcess, startHost } from './host-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

const MINUTE_MS = 60_000;
const heartbeatMs = 1_000;

describe('FLT-10: hosts whose clocks differ by minutes', () => {
  test('keep each other alive, believe for whom calls are made, and hand over what runs once', async () => {
    const bus = { servers: server.url };
    const sources = [{ name: 'files' }, { name: 'jobs', placement: 'singleton' as const }];
    const offsets = { early: 17 * MINUTE_MS, late: -23 * MINUTE_MS, right: 0 };
    const hosts = Object.entries(offsets).map(([name, clockOffsetMs]) =>
      startHost(name, { bus, sources, clockOffsetMs, heartbeatMs }),
    );
    await expectAllCalled(hosts);
    await Promise.all(
      hosts.map(async (host) => {
        await host.ask({ do: 'until-beats', count: (await host.ask<number>({ do: 'beats' })) + 4 });
      }),
    );
    for (const host of hosts) expect(host.all('host-state', { state: 'unreachable' })).toEqual([]);

    const first = await agreedHolder(hosts, 'jobs');
    for (const host of hosts) {
      await host.ask({ do: 'until-tools', source: 'jobs', count: SCRIPTED_TOOLS });
      expect(await host.call('jobs', 'who')).toBe(first.name);
    }
    const rest = hosts.filter((host) => host !== first);
    const [beats] = await Promise.all(rest.map((host) => host.ask<number>({ do: 'beats' })));
    await first.kill();
    const lost = await rest[0]?.event('host-state', { host: first.name, state: 'unreachable' });
    expect((lost?.beats ?? Number.POSITIVE_INFINITY) - (beats ?? 0)).toBeLessThanOrEqual(4);
    const next = await agreedHolder(rest, 'jobs');
    for (const host of rest) expect(await host.call('jobs', 'who')).toBe(next.name);
    await expectAllCalled(rest);
  });

  test('see a host again that comes back with a clock far behind what it was', async () => {
    const bus = { servers: server.url, fleet: 'back' };
    const edge = startHost('edge', { bus });
    for (const [tools, end] of [
      [1, 'leave'],
      [2, 'kill'],
      [3, 'kill'],
    ] as const) {
      const host = startHost('moving', {
        bus,
        sources: [{ name: 'files', tools }],
        clockOffsetMs: -tools * 10 * MINUTE_MS,
      });
      await edge.ask({ do: 'until-tools', source: 'files@moving', count: SCRIPTED_TOOLS + tools });
      expect(await edge.call('files@moving', 'who')).toBe('moving');
      if (end === 'leave') await host.ask({ do: 'leave' });
      else await host.kill();
    }
  });

  test('go on calling each other while the clock of one is set by minutes, back and forth', async () => {
    const bus = { servers: server.url, fleet: 'set' };
    const sources = [{ name: 'files' }];
    const hosts = ['a', 'b'].map((name) => startHost(name, { bus, sources, heartbeatMs }));
    const [a = hosts[1]] = hosts;
    await expectAllCalled(hosts);
    for (const offsetMs of [30 * MINUTE_MS, -30 * MINUTE_MS, 0]) {
      await a?.ask({ do: 'set-clock', offsetMs });
      await expectAllCalled(hosts);
    }
    for (const host of hosts) expect(host.all('host-state', { state: 'unreachable' })).toEqual([]);
  });
});

/** Each calls each. */
async function expectAllCalled(hosts: readonly HostProcess[]): Promise<void> {
  for (const host of hosts) {
    for (const { name } of hosts) {
      if (name === host.name) continue;
      await host.ask({ do: 'until-tools', source: `files@${name}`, count: SCRIPTED_TOOLS });
      expect(await host.call(`files@${name}`, 'who')).toBe(name);
    }
  }
}
