import { expect, onTestFinished, test } from 'vitest';
import { FleetError } from '../src/errors.js';
import { createFleet, type Fleet } from '../src/fleet.js';
import { createMemoryBroker } from '../src/memory/broker.js';
import type { FleetOptions } from '../src/options.js';
import { ChangingSource, tool } from './helpers/offered.js';
import { sourceOf, until } from './helpers/until.js';

const HEARTBEAT_MS = 500;

test('the status of a fleet has each node with its servers and states', async () => {
  const broker = createMemoryBroker();
  const join = (node: string, options: Partial<FleetOptions> = {}): Fleet => {
    const bus = broker.connect({ node });
    const fleet = createFleet({ bus, node, heartbeatMs: HEARTBEAT_MS, ...options });
    onTestFinished(async () => {
      await fleet.close();
      await bus.close();
    });
    return fleet;
  };
  const b = join('b', {
    sources: [
      new ChangingSource('files', [tool('read'), tool('write')]),
      { source: new ChangingSource('jobs', [tool('run')]), placement: 'singleton' },
      { source: new ChangingSource('secret', [tool('peek')]), placement: 'local' },
    ],
  });
  await until(b, () => b.status().singletons[0]?.holder === 'b');
  const a = join('a', { sources: [new ChangingSource('git', [])] });
  await sourceOf(a, 'files@b');
  await until(a, () => a.status().phase === 'joined' && a.status().singletons[0]?.holder === 'b');
  const incarnation = expect.any(Number);
  expect(a.status()).toEqual({
    node: 'a',
    phase: 'joined',
    incarnation,
    isBusConnected: true,
    heartbeatMs: HEARTBEAT_MS,
    nodes: [
      {
        node: 'a',
        isOwn: true,
        state: 'alive',
        incarnation,
        servers: [{ server: 'git', source: 'git', placement: 'pinned', state: 'running', tools: 0 }],
      },
      {
        node: 'b',
        isOwn: false,
        state: 'alive',
        incarnation,
        servers: [
          { server: 'files', source: 'files@b', placement: 'pinned', state: 'running', tools: 2 },
          { server: 'jobs', source: 'jobs@fleet', placement: 'singleton', state: 'running', tools: 1 },
        ],
      },
    ],
    singletons: [{ server: 'jobs', holder: 'b' }],
  });
  expect(b.status().nodes[0]?.servers).toContainEqual({
    server: 'secret',
    source: 'secret',
    placement: 'local',
    state: 'running',
    tools: undefined,
  });
});

test('the status as JSON has the reason of a failed join, without its cause', () => {
  const cause = new Error('the seed is S…');
  const error = new FleetError('node-taken', 'The name is taken', { node: 'a', cause });
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({
    error: { code: 'node-taken', message: 'The name is taken', node: 'a', retryable: false },
  });
});
