import { expect, test } from 'vitest';
import { fleetFindings } from '../../src/doctor/check-daemon.js';
import type { FleetReport } from '../../src/fleet/fleet-report.js';

const report: FleetReport = {
  fleet: 'team',
  node: 'laptop',
  servers: ['nats://127.0.0.1:4222'],
  phase: 'joined',
  isBusConnected: true,
  nodes: [
    { node: 'laptop', isOwn: true, state: 'alive', servers: [] },
    { node: 'build-1', isOwn: false, state: 'alive', servers: [] },
  ],
  singletons: [{ server: 'clock', holder: 'build-1' }],
  alarms: [],
};

test('a joined node is ok', () => {
  expect(fleetFindings(report)).toEqual([
    { check: 'fleet', status: 'ok', message: 'this node, "laptop", is in the fleet "team", with 1 other node' },
  ]);
});

test.each<[phase: FleetReport['phase'], code: string, status: string, message: string]>([
  ['joining', 'bus-down', 'warning', 'is not yet in the fleet "team": Could not'],
  ['joining', 'forbidden', 'error', 'is not yet in the fleet "team": Could not'],
  ['cut-off', 'bus-down', 'warning', 'is cut off from the fleet "team": Could not'],
  ['cut-off', 'unsuitable-bus', 'error', 'is cut off from the fleet "team": Could not'],
  ['joined', 'bus-down', 'warning', 'is cut off from the fleet "team": Could not'],
  ['failed', 'node-taken', 'error', 'cannot be in the fleet "team": Could not'],
])('a node that is %s for %s is %s', (phase, code, status, message) => {
  const [found] = fleetFindings({ ...report, phase, isBusConnected: false, error: { code, message: 'Could not' } });
  expect(found).toMatchObject({
    status,
    message: `this node, "laptop", ${message}`,
    fix: expect.stringContaining(' '),
  });
});

test('alarms, lost nodes and singletons without an owner are reported with a remedy', () => {
  const found = fleetFindings({
    ...report,
    nodes: [...report.nodes, { node: 'build-9', isOwn: false, state: 'unreachable', servers: [] }],
    singletons: [{ server: 'clo\u001b[2Jck' }],
    alarms: [{ at: 0, operation: 'write', subject: 'lease.\u001b[31mother' }],
  });
  expect(found.map(({ status, message }) => `${status} ${message}`)).toEqual([
    'ok this node, "laptop", is in the fleet "team", with 2 other nodes',
    'error the NATS server forbade this node to write lease.other, last at 1970-01-01T00:00:00.000Z',
    'warning the node "build-9" is unreachable, and so are its servers',
    'warning "clock", which the fleet runs once, runs on no node',
  ]);
  expect(found[2]).toMatchObject({ fix: expect.stringContaining('"mcpx fleet forget build-9"') });
});
