import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHost } from './host-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { KEYS, tapWire } from './wire-tap.js';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

const PROCESSES = 4;
const HOSTS_PER_PROCESS = 5;
const TOOLS = 100;
const names = Array.from(
  { length: PROCESSES * HOSTS_PER_PROCESS },
  (_, index) => `host-${String(index).padStart(2, '0')}`,
);

describe('FLT-09: 20 hosts with 100 tools each', () => {
  test('see all tools of one another, and say nothing but that they are there when nothing happens', async () => {
    const bus = { servers: server.url };
    const sources = [{ name: 'files', tools: TOOLS - SCRIPTED_TOOLS }];
    const processes = Array.from({ length: PROCESSES }, (_, index) => {
      const hosts = names.slice(index * HOSTS_PER_PROCESS, (index + 1) * HOSTS_PER_PROCESS);
      return { hosts, process: startHost(hosts, { bus, sources, heartbeatMs: 1_000 }) };
    });
    const all = processes.flatMap(({ hosts, process }) => hosts.map((host) => ({ host, process })));
    await Promise.all(
      all.flatMap(({ host, process }) =>
        names
          .filter((name) => name !== host)
          .map((name) => process.ask({ do: 'until-tools', source: `files@${name}`, count: TOOLS }, host)),
      ),
    );
    expect(await all[0]?.process.ask({ do: 'call', source: 'files@host-19', tool: 'who' })).toBe('host-19');

    const beatsOf = () => Promise.all(all.map(({ host, process }) => process.ask<number>({ do: 'beats' }, host)));
    const wire = await tapWire(server, ['mcp-fleet.>', `${KEYS}>`, '$JS.API.>']);
    const before = await beatsOf();
    await Promise.all(
      all.map(({ host, process }, index) => process.ask({ do: 'until-beats', count: (before[index] ?? 0) + 3 }, host)),
    );
    const after = await beatsOf();
    await wire.nats.flush();
    const messages = wire.take();
    const others = messages.filter(({ subject }) => !subject.startsWith(`${KEYS}lease.`));
    expect(others.map(({ subject }) => subject)).toEqual([]);
    const beats = after.reduce((sum, count, index) => sum + count - (before[index] ?? 0), 0);
    expect(messages.length).toBeLessThanOrEqual(beats + names.length); // one of each was maybe under way
    expect(messages.length).toBeGreaterThanOrEqual(2 * names.length);
    // However many tools a host has, its beats say nothing of them.
    expect(Math.max(...messages.map(({ data }) => data.length))).toBeLessThan(512);
  });
});
