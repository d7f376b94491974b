import { expect, onTestFinished, test } from 'vitest';
import { createFleet } from '../../src/fleet.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import type { FleetOptions } from '../../src/options.js';
import { ChangingSource, tool } from '../helpers/offered.js';
import { TroubledBus } from '../helpers/troubled-bus.js';
import { sourceOf, until } from '../helpers/until.js';

const HEARTBEAT_MS = 500;

test.each<[who: string, authorize: FleetOptions['authorize']]>([
  ['everybody', undefined],
  ['who is allowed', () => true],
  ['nobody whose tool is not known', () => false],
])(
  'a server that its node may not run at the moment is unreachable, and not unknown, for %s',
  async (_who, authorize) => {
    const broker = createMemoryBroker();
    const bus = new TroubledBus(broker.connect({ node: 'owner' }));
    const jobs = new ChangingSource('jobs', [tool('run')]);
    const owner = createFleet({
      bus,
      node: 'owner',
      heartbeatMs: HEARTBEAT_MS,
      sources: [{ source: jobs, placement: 'singleton' }],
      ...(authorize && { authorize }),
    });
    const edge = createFleet({ bus: broker.connect({ node: 'edge' }), node: 'edge', heartbeatMs: HEARTBEAT_MS });
    onTestFinished(async () => {
      bus.tell();
      await Promise.all([owner.close(), edge.close()]);
    });
    await until(edge, () => edge.status().singletons[0]?.holder === 'owner');
    await until(owner, () => owner.status().nodes.length === 2);
    const remote = await sourceOf(edge, 'jobs@fleet');

    // It beats, so it is alive to all others, and does not know that it is.
    bus.hush();
    await until(owner, () => owner.status().singletons[0]?.holder === undefined);
    expect(edge.status().singletons).toEqual([{ server: 'jobs', holder: 'owner' }]);
    await expect(remote.callTool('run', {}, {})).rejects.toMatchObject({
      code: 'node-unreachable',
      retryable: true,
      message: 'The node owner does not run the singleton "jobs" at the moment; nothing was run',
    });
    expect(jobs.calls).toEqual([]);
  },
);
