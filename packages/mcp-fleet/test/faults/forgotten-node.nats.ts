import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FleetBus } from '../../src/bus.js';
import { forgetNode, planForget } from '../../src/lease/forget-node.js';
import { natsAccountsConfig, openNatsBus } from '../../src/nats.js';
import { startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';

const NODES = ['lost', 'other'];
let server: NatsServer;
const opened: FleetBus[] = [];

beforeAll(async () => {
  const nodes = NODES.map((node) => ({ node, user: node, password: `of ${node}` }));
  server = await startNatsServer({
    config: natsAccountsConfig({ nodes, administrator: { user: 'administrator', password: 'of all' } }),
  });
});
afterAll(() => server.stop());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

const start = (node: string) =>
  startNode(node, {
    bus: { servers: server.url, user: node, password: `of ${node}` },
    sources: [{ name: 'files' }, { name: 'jobs', placement: 'singleton' }],
  });

async function connect(node: string, user: string, password: string): Promise<FleetBus> {
  const bus = await openNatsBus({ servers: server.url, node, user, password });
  opened.push(bus);
  return bus;
}

describe('a node that does not come back', () => {
  test.each(['killed', 'still'])('is forgotten by an administrator and by no other node: %s', async (how) => {
    const lost = start('lost');
    await lost.event('singleton-state', { server: 'jobs', holder: 'lost' });
    const other = start('other');
    await other.ask({ do: 'until-tools', source: 'files@lost', count: SCRIPTED_TOOLS });
    if (how === 'killed') await lost.kill();
    else await lost.pause();
    await other.event('node-state', { node: 'lost', state: 'unreachable' });
    await other.event('singleton-state', { server: 'jobs', holder: 'other' });

    const administrator = await connect('operator', 'administrator', 'of all');
    const plan = await planForget({ bus: administrator, node: 'lost' });
    expect(plan).toMatchObject({ servers: ['files', 'jobs'], singletons: [] });
    await other.kill();
    const again = start('other');
    await again.event('joined');
    const node = await connect('other', 'other', 'of other');
    const failure = await forgetNode({ bus: node, plan }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'forbidden', node: 'lost' });
    expect(failure.message).toContain('lease.lost');
    expect(await again.ask({ do: 'status' })).toMatchObject({ nodes: [{ node: 'other' }, { node: 'lost' }] });

    await forgetNode({ bus: administrator, plan });
    await again.event('node-state', { node: 'lost', state: 'left' });
    expect(await again.ask<object>({ do: 'sources' })).not.toHaveProperty('files@lost');
    for (const { key } of plan.keys) expect(await administrator.bucket.get(key), key).toBeUndefined();

    // It was not ended for good, or its machine is there again.
    if (how === 'killed') start('lost');
    else lost.resume();
    await again.ask({ do: 'until-tools', source: 'files@lost', count: SCRIPTED_TOOLS });
    expect(await again.call('files@lost', 'who')).toBe('lost');
    await expect(planForget({ bus: administrator, node: 'lost' })).rejects.toMatchObject({ code: 'node-alive' });
  });
});
