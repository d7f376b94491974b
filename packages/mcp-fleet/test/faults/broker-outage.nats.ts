import { startNatsServer } from '@x/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openProxy } from '../bus/cuttable-proxy.js';
import { type HostProcess, startHost } from './host-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { KEYS, tapWire } from './wire-tap.js';

const HEARTBEAT_MS = 500;
/** Beats without a broker. */
const OUTAGE_BEATS = 8;
const TOOLS = 5;
const SERVERS = ['files', 'git', 'web'];

describe('FLT-02: while the broker is down', () => {
  test('each host goes on with its own servers, and tells what it has once more and once only when the broker is back', async () => {
    const server = await startNatsServer();
    const proxy = await openProxy(server.port);
    onTestFinished(async () => {
      await proxy[Symbol.asyncDispose]();
      await server.stop();
    });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const sources = SERVERS.map((name) => ({ name, tools: TOOLS }));
    const hosts = names.map((name) =>
      startHost(name, { bus: { servers: proxy.url }, heartbeatMs: HEARTBEAT_MS, sources }),
    );
    for (const host of hosts) await untilAllKnown(host, names);

    const marks = hosts.map((host) => host.mark());
    proxy.cut();
    await server.kill();
    await Promise.all(
      hosts.map(async (host, index) => {
        const after = marks[index] ?? 0;
        await host.event('bus-state', { isConnected: false }, { after });
        const other = host.name === 'a' ? 'b' : 'a';
        await host.ask({ do: 'until-beats', count: (await host.ask<number>({ do: 'beats' })) + OUTAGE_BEATS });
        await host.ask({ do: 'until-hosts', count: 1 });
        expect(await host.call('files', 'who')).toBe(host.name);
        await expect(host.call(`files@${other}`, 'who')).rejects.toMatchObject({ code: 'host-unreachable' });
        expect(await host.ask({ do: 'status' })).toMatchObject({ phase: 'cut-off', isBusConnected: false });
      }),
    );

    await server.restart();
    const wire = await tapWire(server, [`${KEYS}>`]);
    proxy.heal();
    const back = hosts.map((host, index) => host.event('joined', {}, { after: marks[index] ?? 0 }));
    await Promise.all(back);
    for (const host of hosts) await untilAllKnown(host, names);
    // Whoever would tell it twice would do so within some beats.
    for (const host of hosts) {
      await host.ask({ do: 'until-beats', count: (await host.ask<number>({ do: 'beats' })) + 3 });
    }
    await wire.nats.flush();
    const told = wire.messages.map(({ subject }) => subject.slice(KEYS.length));
    const wanted = names.flatMap((name) => SERVERS.map((one) => `server.${name}.${one}`));
    expect(told.filter((key) => key.startsWith('server.')).toSorted()).toEqual(wanted);

    // Not all at once: from the first host to the last it takes a part of a heartbeat, and more on a machine that is busy.
    const times = (await Promise.all(back)).map(({ atMs }) => atMs);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(HEARTBEAT_MS / 50);
    expect(await hosts[0]?.call('files@b', 'who')).toBe('b');
  });
});

/** Waits until the host knows all tools of all others. */
async function untilAllKnown(host: HostProcess, names: readonly string[]): Promise<void> {
  await host.ask({ do: 'until-hosts', count: names.length });
  for (const name of names.filter((other) => other !== host.name)) {
    for (const one of SERVERS) {
      await host.ask({ do: 'until-tools', source: `${one}@${name}`, count: SCRIPTED_TOOLS + TOOLS });
    }
  }
}
