import { expect, test } from 'vitest';
import { fleetChanges, fleetFacts } from '../../src/fleet/fleet-changes.js';
import type { FleetReport } from '../../src/fleet/fleet-report.js';

const report: FleetReport = {
  fleet: 'team',
  node: 'laptop',
  servers: ['nats://127.0.0.1:4222'],
  phase: 'joined',
  isBusConnected: true,
  nodes: [
    {
      node: 'laptop',
      isOwn: true,
      state: 'alive',
      servers: [{ server: 'notes', placement: 'local', state: 'stopped' }],
    },
    {
      node: 'build-1',
      isOwn: false,
      state: 'alive',
      servers: [{ server: 'files', source: 'files@build-1', placement: 'pinned', state: 'running', tools: 14 }],
    },
  ],
  singletons: [{ server: 'clock', holder: 'build-1' }],
  alarms: [],
};
const nothing = new Map<string, string>();
const changes = (before: FleetReport | undefined, after: FleetReport | undefined) =>
  fleetChanges(before ? fleetFacts(before) : nothing, fleetFacts(after)).map(({ about, text }) => `${about}: ${text}`);

test('reports every fact of a fleet at first', () => {
  expect(changes(undefined, report)).toEqual([
    'this node: "laptop" of the fleet "team": joined',
    'node build-1: alive',
    'notes@laptop: stopped',
    'files@build-1: running, 14 tools',
    'clock of all: runs on build-1',
  ]);
});

test('then reports only changes and removals', () => {
  expect(changes(report, report)).toEqual([]);
  const [own, other] = report.nodes;
  if (own === undefined || other === undefined) throw new Error('There are two nodes');
  const error = { code: 'forbidden', message: 'Authorization Violation' };
  const alarm = { at: 0, operation: 'write', subject: 'lease.b' } as const;
  const nodes: FleetReport['nodes'] = [own, { ...other, state: 'unreachable' }];
  expect(
    changes(report, { ...report, phase: 'cut-off', error, nodes, singletons: [{ server: 'clock' }], alarms: [alarm] }),
  ).toEqual([
    'this node: "laptop" of the fleet "team": cut-off, Authorization Violation',
    'node build-1: unreachable',
    'clock of all: runs nowhere',
    'ALARM write lease.b: forbidden at 1970-01-01T00:00:00.000Z',
  ]);
  expect(changes(report, { ...report, nodes: [own], singletons: [] })).toEqual([
    'node build-1: gone',
    'files@build-1: gone',
    'clock of all: gone',
  ]);
  expect(changes(report, undefined)).toEqual([
    'this node: belongs to no fleet',
    ...['node build-1', 'notes@laptop', 'files@build-1', 'clock of all'].map((about) => `${about}: gone`),
  ]);
});
