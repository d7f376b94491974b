import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FleetBus } from '../../src/bus.js';
import { forgetHost, planForget } from '../../src/lease/forget-host.js';
import { natsAccountsConfig, openNatsBus } from '../../src/nats.js';
import { startHost } from './host-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';

const HOSTS = ['lost', 'other'];
let server: NatsServer;
const opened: FleetBus[] = [];

beforeAll(async () => {
  const hosts = HOSTS.map((host) => ({ host, user: host, password: `of ${host}` }));
  server = await startNatsServer({
    config: natsAccountsConfig({ hosts, administrator: { user: 'administrator', password: 'of all' } }),
  });
});
afterAll(() => server.stop());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

const start = (host: string) =>
  startHost(host, {
    bus: { servers: server.url, user: host, password: `of ${host}` },
    sources: [{ name: 'files' }, { name: 'jobs', placement: 'singleton' }],
  });

async function connect(host: string, user: string, password: string): Promise<FleetBus> {
  const bus = await openNatsBus({ servers: server.url, host, user, password });
  opened.push(bus);
  return bus;
}

describe('a host that does not come back', () => {
  test.each(['killed', 'still'])('is forgotten by an administrator and by no other host: %s', async (how) => {
    const lost = start('lost');
    await lost.event('singleton-state', { server: 'jobs', holder: 'lost' });
    const other = start('other');
    await other.ask({ do: 'until-tools', source: 'files@lost', count: SCRIPTED_TOOLS });
    if (how === 'killed') await lost.kill();
    else await lost.pause();
    await other.event('host-state', { host: 'lost', state: 'unreachable' });
    await other.event('singleton-state', { server: 'jobs', holder: 'other' });

    const administrator = await connect('operator', 'administrator', 'of all');
    const plan = await planForget({ bus: administrator, host: 'lost' });
    expect(plan).toMatchObject({ servers: ['files', 'jobs'], singletons: [] });
    await other.kill();
    const again = start('other');
    await again.event('joined');
    const host = await connect('other', 'other', 'of other');
    const failure = await forgetHost({ bus: host, plan }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'forbidden', host: 'lost' });
    expect(failure.message).toContain('lease.lost');
    expect(await again.ask({ do: 'status' })).toMatchObject({ hosts: [{ host: 'other' }, { host: 'lost' }] });

    await forgetHost({ bus: administrator, plan });
    await again.event('host-state', { host: 'lost', state: 'left' });
    expect(await again.ask<object>({ do: 'sources' })).not.toHaveProperty('files@lost');
    for (const { key } of plan.keys) expect(await administrator.bucket.get(key), key).toBeUndefined();

    // It was not ended for good, or its machine is there again.
    if (how === 'killed') start('lost');
    else lost.resume();
    await again.ask({ do: 'until-tools', source: 'files@lost', count: SCRIPTED_TOOLS });
    expect(await again.call('files@lost', 'who')).toBe('lost');
    await expect(planForget({ bus: administrator, host: 'lost' })).rejects.toMatchObject({ code: 'host-alive' });
  });
});
